/** Set in the environment of the gate. */
export const GATE: { readonly AMODAL_TEST_TIER: 'gate' }
/** Patterns of test files that only `--all` runs, each with the reason. */
export const ONLY_IN_ALL: Readonly<Record<string, string>>
