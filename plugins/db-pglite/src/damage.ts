import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { trySync, messageOf } from '@amodal/sdk'
import { z } from 'zod'
import { DAMAGE } from './folder.ts'

/** Damage that was found and not accepted yet. */
const Damage = z.object({ v: z.literal(1), found: z.string(), damage: z.array(z.string()) })
export type Damage = z.output<typeof Damage>

/** What is typed to accept a loss. */
export const ACCEPT = 'amodal ops database accept-loss'

/**
 * What was found damaged in a folder. A notice that cannot be read counts as one: somebody has to
 * look before anything is written.
 */
export function readDamage(folder: string): Damage | undefined {
  const file = join(folder, DAMAGE)
  if (!existsSync(file)) return undefined
  const read = trySync(() => Damage.parse(JSON.parse(readFileSync(file, 'utf8'))), messageOf)
  return read.ok
    ? read.value
    : { v: 1, found: 'at a time that is not known', damage: [`${DAMAGE} cannot be read`] }
}

/** From here on the database is what is left of it; a running server writes again at once. */
export const acceptLoss = (folder: string): void => rmSync(join(folder, DAMAGE), { force: true })
