/**
 * Where in a hook a tap stands; within a stage the order is that of the plan.
 * `seal` has the last word and is given out by the preset (`trusted: true`), never claimed.
 */
export const STAGES = { first: -1000, guard: -500, early: -100, normal: 0, late: 100, last: 1000, seal: 10_000 } as const

export type Stage = keyof typeof STAGES
