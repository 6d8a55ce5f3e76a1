/**
 * Levels of what a server says of a tool; many times what a schema needs, and few enough for
 * whoever walks through them.
 */
const DEEPEST = 64

/** Whether a value from the wire is nested too deep to be walked through. */
export function isDeep(value: unknown, levels = DEEPEST): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    (levels === 0 || Object.values(value).some((inner) => isDeep(inner, levels - 1)))
  )
}
