/** Environment variables by name; scripts read them, drivers pass them on. */
export type Environment = Readonly<Record<string, string | undefined>>;
