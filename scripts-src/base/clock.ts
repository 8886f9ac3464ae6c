/** Where a verb gets time and ids from. */
export interface Clock {
  /** ISO-8601 with milliseconds. */
  now(): string;
  newId(): string;
}
