import { z } from 'zod'

const share = (fallback: number) => z.number().gt(0).max(1).default(fallback)
const chars = (fallback: number) => z.int().min(1_000).default(fallback)

/** Shares are of the window of the main model. */
export const CompactionSettings = z.strictObject({
  at: share(0.8).describe('The conversation is compacted when a call would be larger'),
  maskAt: share(0.6).describe('Older tool outputs are masked when a call would be larger'),
  protect: share(0.2).describe('The newest tool outputs, which are never masked'),
  keep: share(0.2).describe(
    'The newest messages, which stay as they are when the rest is compacted',
  ),
  snapshot: share(0.2).describe('The most that a snapshot may take'),
  resultChars: chars(50_000).describe('Characters of one tool result that the model sees'),
  overflowChars: chars(20_000).describe('The same once a model has refused a call as too long'),
  tools: z
    .strictObject({
      budget: z
        .int()
        .min(0)
        .default(20_000)
        .describe(
          'Tokens of tools that are listed with every call; more are found with `find_tools`',
        ),
    })
    .prefault({}),
})
export type CompactionSettings = Readonly<z.output<typeof CompactionSettings>>
