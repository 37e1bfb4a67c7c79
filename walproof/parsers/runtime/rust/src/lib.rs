//! Runtime for parsers that Kaitai Struct 0.11 generates for Rust. SPDX-License-Identifier: Apache-2.0
//!
//! Written for this project with the interface of the official runtime, which can replace it. It
//! has only the functions that logs need. A stream keeps all of its bytes in memory.

use std::any::{Any, TypeId};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::rc::{Rc, Weak};

mod stream;
pub use stream::{
    bytes_strip_right, bytes_terminate, bytes_terminate_multi, bytes_to_str, modulo,
    process_rotate_left, process_xor_many, process_xor_one, BytesReader, KStream,
};

/// The reason why a log was rejected, or why an instance could not be computed.
#[derive(Debug, PartialEq, Eq, Clone)]
#[non_exhaustive]
pub enum KError {
    Eof { requested: usize, available: usize },
    EmptyIterator,
    UnknownEncoding { name: String },
    MissingRoot,
    MissingParent,
    ReadBitsTooLarge { requested: usize },
    ValidationFailed(ValidationFailedError),
    NoTerminatorFound,
    IoError { msg: String },
    BytesDecodingError { msg: String },
    CastError,
    UndecidedEndianness { src_path: String },
}

pub type KResult<T> = Result<T, KError>;

#[derive(Debug, PartialEq, Eq, Clone)]
pub struct ValidationFailedError {
    pub kind: ValidationKind,
    pub src_path: String,
}

#[derive(Debug, PartialEq, Eq, Clone)]
#[non_exhaustive]
pub enum ValidationKind {
    NotEqual,
    LessThan,
    GreaterThan,
    NotAnyOf,
    NotInEnum,
    Expr,
}

/// A weak reference from an object to its parent or root.
pub struct SharedType<T>(RefCell<Weak<T>>);

impl<T> SharedType<T> {
    pub fn new(rc: Rc<T>) -> Self {
        Self(RefCell::new(Rc::downgrade(&rc)))
    }

    pub fn empty() -> Self {
        Self(RefCell::new(Weak::new()))
    }

    pub fn get(&self) -> KResult<OptRc<T>> {
        self.0.borrow().upgrade().map(OptRc::from).ok_or(KError::MissingParent)
    }

    pub fn get_value(&self) -> &RefCell<Weak<T>> {
        &self.0
    }

    pub fn set(&self, rc: KResult<OptRc<T>>) {
        *self.0.borrow_mut() = rc.map(|rc| Rc::downgrade(&rc.get())).unwrap_or_default();
    }
}

impl<T> Default for SharedType<T> {
    fn default() -> Self {
        Self::empty()
    }
}

impl<T> Clone for SharedType<T> {
    fn clone(&self) -> Self {
        Self(RefCell::new(self.0.borrow().clone()))
    }
}

impl<T> fmt::Debug for SharedType<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedType") // without its target, whose output would never end
    }
}

/// A reference to an object that may be absent. Dereferencing an absent object panics.
pub struct OptRc<T>(Option<Rc<T>>);

impl<T> OptRc<T> {
    pub fn get(&self) -> Rc<T> {
        self.0.clone().expect("the object is not there")
    }

    pub fn get_mut(&mut self) -> &mut Rc<T> {
        self.0.as_mut().expect("the object is not there")
    }

    pub fn get_value(&self) -> &Option<Rc<T>> {
        &self.0
    }

    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }
}

impl<T> Default for OptRc<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Clone for OptRc<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: fmt::Debug> fmt::Debug for OptRc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T> From<Rc<T>> for OptRc<T> {
    fn from(rc: Rc<T>) -> Self {
        Self(Some(rc))
    }
}

impl<T> From<T> for OptRc<T> {
    fn from(value: T) -> Self {
        Self(Some(Rc::new(value)))
    }
}

impl<T> Deref for OptRc<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("the object is not there")
    }
}

/// The interface of every generated type.
pub trait KStruct: Default {
    type Root: KStruct;
    type Parent: KStruct;

    fn read<S: KStream>(
        self_rc: &OptRc<Self>,
        io: &S,
        root: SharedType<Self::Root>,
        parent: SharedType<Self::Parent>,
    ) -> KResult<()>;

    fn read_into<S: KStream, T: KStruct + Any>(
        io: &S,
        root: Option<SharedType<T::Root>>,
        parent: Option<SharedType<T::Parent>>,
    ) -> KResult<OptRc<T>>
    where
        T::Root: Any,
        T::Parent: Any,
    {
        Self::read_into_with_init(io, root, parent, &|_| Ok(()))
    }

    fn read_into_with_init<S: KStream, T: KStruct + Any>(
        io: &S,
        root: Option<SharedType<T::Root>>,
        parent: Option<SharedType<T::Parent>>,
        init: &dyn Fn(&mut T) -> KResult<()>,
    ) -> KResult<OptRc<T>>
    where
        T::Root: Any,
        T::Parent: Any,
    {
        let mut object = T::default();
        init(&mut object)?;
        let object = OptRc::from(object);
        let root = match root {
            Some(root) => root,
            None => SharedType::new(itself(&object).unwrap_or_else(stand_in::<T::Root>)),
        };
        let parent = match parent {
            Some(parent) => parent,
            None => itself(&object).map(SharedType::new).unwrap_or_default(),
        };
        T::read(&object, io, root, parent)?;
        Ok(object)
    }
}

/// Returns the object as its own root or parent, for the outermost object of a log.
fn itself<T: Any, U: Any>(object: &OptRc<T>) -> Option<Rc<U>> {
    let any: Rc<dyn Any> = object.get();
    any.downcast::<U>().ok()
}

thread_local! {
    static STAND_INS: RefCell<HashMap<TypeId, Rc<dyn Any>>> = RefCell::new(HashMap::new());
}

/// Returns an empty root for a type that is imported from another grammar, because generated code
/// passes no root to it.
fn stand_in<U: Any + Default>() -> Rc<U> {
    STAND_INS.with(|known| {
        let mut known = known.borrow_mut();
        let root = known.entry(TypeId::of::<U>()).or_insert_with(|| Rc::new(U::default()));
        root.clone().downcast::<U>().expect("kept under its own type")
    })
}

/// The parent of types without a parent.
#[derive(Debug, Default, Copy, Clone, PartialEq)]
pub struct KStructUnit;

impl KStruct for KStructUnit {
    type Root = KStructUnit;
    type Parent = KStructUnit;

    fn read<S: KStream>(
        _: &OptRc<Self>,
        _: &S,
        _: SharedType<Self>,
        _: SharedType<Self>,
    ) -> KResult<()> {
        Ok(())
    }
}

/// The position of a stream. Clones of a stream share their bytes, but not this position.
#[derive(Debug, Default, Clone)]
pub struct ReaderState {
    pub(crate) pos: Cell<usize>,
    pub(crate) byte: Cell<u8>,
    pub(crate) bits_left: Cell<u32>,
}
