import { reply, startModelServer } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { World } from './world.ts'

test('try', async () => {
  const model = await startModelServer({ script: reply.text('Hello there.') })
  await using world = await World.make(model)
  let t = Date.now()
  const lap = (name: string) => { console.log(name, Date.now() - t); t = Date.now() }
  await world.talk(); lap('talk')
  console.log(await world.verify()); lap('verify')
  console.log(await world.verify('--file', world.file)); lap('verify file')
  await world.talkAndDie(); lap('die')
  console.log(await world.verify()); lap('verify')
  await world.talk(); lap('talk')
  console.log(await world.verify()); lap('verify')
  console.log(await world.verify('--checkpoints', world.outside)); lap('verify')
  console.log(await world.verify('--file', world.file)); lap('verify file')
  await using copy = await world.copy(); lap('copy')
  console.log(await copy.sql('select tenant, n, seal from audit_head')); lap('sql')
  console.log(await copy.verify()); lap('verify')
  await model.close()
})
