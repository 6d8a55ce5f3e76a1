import { z } from 'zod'

const count = z.int().min(1)

export const LoopGuardSettings = z.strictObject({
  warnAt: count
    .default(3)
    .describe('So many calls that are alike: the model is told with the result'),
  blockAt: count.default(5).describe('The tool is refused for the rest of the run'),
  stopAt: count.default(8).describe('The run ends with `loop_detected`, refused calls counted too'),
  exempt: z
    .array(z.string())
    .default([])
    .describe('Tools that may be called alike as often as they like, such as one that waits'),
  progressEvery: z
    .int()
    .min(0)
    .default(6)
    .describe('The model is asked every so many turns whether the run gets anywhere; 0: never'),
})
export type LoopGuardSettings = Readonly<z.output<typeof LoopGuardSettings>>
