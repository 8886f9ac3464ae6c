type OptionalKey<T> = { [K in keyof T]: undefined extends T[K] ? K : never }[keyof T];

/** T with optional keys where undefined was allowed. */
export type Defined<T> = Omit<T, OptionalKey<T>> & {
  [K in OptionalKey<T>]?: Exclude<T[K], undefined>;
};

/**
 * A copy without the fields whose value is undefined, for results whose keys are counted or compared, and for
 * JSON, which has no undefined.
 */
export function defined<T extends object>(fields: T): Defined<T>;
export function defined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
