/** A type with every level writable and spelled out, so that two ways of writing it compare as equal. */
type Plain<T> = T extends readonly (infer Item)[]
  ? Plain<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Plain<T[Key]> }
    : T;

type Identical<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : ['differs', A, B];

/** Checked by the compiler: `const same: Same<FromSchema, Core> = true` fails to build when a schema drifts from core. */
export type Same<A, B> = Identical<Plain<A>, Plain<B>>;
