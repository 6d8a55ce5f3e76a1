/** An embedded database belongs to one server at a time, and to nobody once that is dead. */

import { expect, test } from 'vitest'
import { Home } from './home.ts'
import { Person } from './person.ts'
import { startWorld } from './world.ts'

test('a second server on a folder is refused at once and told who has it; a killed one leaves it free', async () => {
  const world = await startWorld()
  const home = await Home.make({ world })
  try {
    const holder = await home.start('a')
    const turn = new Person(() => home.reach()).send({ marker: 'm1', steps: [] })
    await turn.over

    const second = home.spawn('b')
    await second.loaded
    const asked = performance.now()
    await expect(second.start()).rejects.toThrow(
      new RegExp(`DATABASE_LOCKED.*process id ${holder.pid}\\b`),
    )
    await second.exited
    // it waits for nothing, also where the machine is slow
    expect(performance.now() - asked).toBeLessThan(30_000)

    // The holder has noticed nothing.
    await new Person(() => home.reach()).send(
      { marker: 'm2', steps: [] },
      { session: turn.session ?? '' },
    ).over
    await holder.kill()
    await home.start('c')
    await new Person(() => home.reach()).send(
      { marker: 'm3', steps: [] },
      { session: turn.session ?? '' },
    ).over
  } finally {
    await home.close()
    await world.close()
  }
})
