type OptionalKey<T> = { [K in keyof T]: undefined extends T[K] ? K : never }[keyof T];

/** The fields that have a value: an absent one is not the same as `undefined` where keys are listed. */
export type Defined<T> = Omit<T, OptionalKey<T>> & {
  [K in OptionalKey<T>]?: Exclude<T[K], undefined>;
};

export function defined<T extends object>(fields: T): Defined<T>;
export function defined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
