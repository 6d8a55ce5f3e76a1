import { onTestFinished } from 'vitest'
import { start, type Door, type World } from './world.ts'

export {
  looking,
  PGLITE,
  SetClock,
  STORAGES,
  TENANT,
  type Door,
  type Json,
  type World,
} from './world.ts'

/** The same, closed when the test ends. */
export async function boot(world: World = {}): Promise<Door> {
  const door = await start(world)
  onTestFinished(() => door.close())
  return door
}
