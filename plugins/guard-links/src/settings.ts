import { z } from 'zod'

export const settings = z.strictObject({
  links: z
    .enum(['remove', 'keep'])
    .default('remove')
    .describe(
      "`remove`: a link to a host that neither the person nor the agent's files have named is text, and nothing loads by itself but images of `image_hosts`. `keep`: texts stay as they are.",
    ),
  hosts: z
    .array(z.string().min(1))
    .default([])
    .describe('More hosts that links may go to; those below them too.'),
  image_hosts: z
    .array(z.string().min(1))
    .default([])
    .describe(
      "Hosts that a reader's client may load images from; those below them too. Images of the page's own origin are loaded.",
    ),
})
export type Settings = z.output<typeof settings>
