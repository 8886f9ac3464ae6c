type Environment = Readonly<Record<string, string | undefined>>;

/** Whether a terminal can be drawn on in place. */
export function canDraw({ TERM }: Environment): boolean {
  return TERM !== undefined && TERM !== "" && TERM !== "dumb";
}

/** Whether the person wants colours, where there can be some. */
export function hasColors(environment: Environment): boolean {
  return canDraw(environment) && (environment["NO_COLOR"] ?? "") === "";
}
