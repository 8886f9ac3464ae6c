/** An event that someone wants to append, or has appended, as far as the rules look at it. */
export interface Attempt {
  readonly event: string;
  readonly from: string;
  readonly summary: string;
  readonly doc?: string | undefined;
  readonly role?: string | undefined;
  readonly sha256?: string | undefined;
}
