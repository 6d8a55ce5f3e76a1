import { BundleSource, defineBundle, definePlugin, defineTool, ok, Tools } from '@amodal/sdk'
import { z } from 'zod'

/** What an agent's folder would hold, as a value. */
const bundle = defineBundle({
  name: 'front-desk',
  userContext:
    'You answer at the front desk of a small office. Look up a room before you say that it is free.',
})

const BOOKED: Readonly<Record<string, readonly number[]>> = { garden: [9, 10, 14], attic: [11] }

const roomFree = defineTool({
  name: 'room_free',
  description: 'Says whether a room is free at an hour of today.',
  readOnly: true,
  input: z.object({ room: z.enum(['garden', 'attic']), hour: z.number().int().min(8).max(18) }),
  execute: async ({ room, hour }) => ({
    status: 'success',
    output: { room, hour, free: BOOKED[room]?.includes(hour) !== true },
  }),
})

/** The agent itself: its files, and what it can do. */
export const frontDesk = definePlugin({
  name: 'front-desk',
  version: '1.0.0',
  provides: [BundleSource, Tools],
  setup({ provide, add }) {
    provide(BundleSource, () => ({ where: 'code', load: async () => ok(bundle) }))
    add(Tools, 'front-desk', { tools: () => [roomFree] })
  },
})
