// What a reader or a writer throws on purpose.

/** Declines a request, saying why. */
export class Skip extends Error {}

/** Of a writer: it does not take these records, or this log. */
export class Refused extends Error {}
