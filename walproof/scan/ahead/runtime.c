/* What compiled kernels call besides memcpy and the like: memory that is counted.
 *
 * The layout is that of numba's NRT_MemInfo (numba/core/runtime/nrt.h, 0.60 to 0.68): its code
 * counts references in the first member, and takes the address of the data from the fourth. */

#include <stddef.h>
#include <stdlib.h>

typedef struct {
    size_t references;
    void (*destroy)(void *data, size_t size, void *information);
    void *information;
    void *data;
    size_t size;
    void *allocator;
} Owner;

static Owner *allocated(size_t size, size_t alignment) {
    size_t room = sizeof(Owner) + alignment;
    if (size > (size_t)-1 - room)
        return NULL;
    Owner *owner = malloc(size + room);
    if (owner == NULL)
        return NULL;
    size_t at = (size_t)(owner + 1);
    at += (alignment - at % alignment) % alignment;
    *owner = (Owner){1, NULL, NULL, (void *)at, size, NULL};
    return owner;
}

void *NRT_MemInfo_alloc_aligned(size_t size, unsigned alignment) {
    return allocated(size, alignment ? alignment : 16);
}

void *NRT_MemInfo_alloc_safe_aligned(size_t size, unsigned alignment) {
    return allocated(size, alignment ? alignment : 16);
}

void NRT_MemInfo_call_dtor(void *of) {
    Owner *owner = of;
    if (owner->destroy)
        owner->destroy(owner->data, owner->size, owner->information);
    free(owner);
}

/* A list, whose data may move while the owner stays. */
static void free_list(void *data, size_t size, void *information) {
    if (information)
        ((void (*)(void *))information)(data);
    free(data);
}

void *NRT_MemInfo_new_varsize_dtor(size_t size, void *information) {
    Owner *owner = malloc(sizeof(Owner));
    void *data = owner ? malloc(size) : NULL;
    if (data == NULL) {
        free(owner);
        return NULL;
    }
    *owner = (Owner){1, free_list, information, data, size, NULL};
    return owner;
}

void *NRT_MemInfo_varsize_realloc(void *of, size_t size) {
    Owner *owner = of;
    void *data = realloc(owner->data, size);
    if (data == NULL)
        return NULL;
    owner->data = data;
    owner->size = size;
    return data;
}

/* For the caller of a kernel, who has copied what it returned. */
void walproof_give_back(void *of) {
    Owner *owner = of;
    if (__atomic_sub_fetch(&owner->references, 1, __ATOMIC_ACQ_REL) == 0)
        NRT_MemInfo_call_dtor(owner);
}
