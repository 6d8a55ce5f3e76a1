import { expect, test } from 'vitest'
import { JointReading } from '../src/joint-reading.ts'

test('those who ask while it is read share the next reading', async () => {
  const begun: PromiseWithResolvers<number>[] = []
  const joint = new JointReading(() => {
    const one = Promise.withResolvers<number>()
    begun.push(one)
    return one.promise
  })
  const first = joint.read()
  const [second, third] = [joint.read(), joint.read()]
  expect(begun).toHaveLength(1)
  begun[0]?.resolve(1)
  expect(await first).toBe(1)
  await expect.poll(() => begun.length).toBe(2)
  begun[1]?.resolve(2)
  expect(await Promise.all([second, third])).toEqual([2, 2])
  const later = joint.read()
  begun[2]?.resolve(3)
  expect(await later).toBe(3)
})
