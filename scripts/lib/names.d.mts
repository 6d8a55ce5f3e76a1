export const EMPTY_NAMES: readonly string[]
/** Packages that still have such names. */
export const PACKAGES_WITH_EMPTY_NAMES: readonly string[]
