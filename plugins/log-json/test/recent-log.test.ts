import { expect, test } from 'vitest'
import { LineRing } from '../src/recent-log.ts'

test('holds as many of the newest lines as have room, and counts those that went', () => {
  const ring = new LineRing(100)
  for (let n = 1; n <= 1_000; n++) ring.add('info', `line ${n}`.padEnd(10))
  const { lines, newest, dropped } = ring.read({ limit: 1_000 })
  expect(lines.map(({ seq }) => seq)).toEqual([1000, 999, 998, 997, 996, 995, 994, 993, 992, 991])
  expect([newest, dropped]).toEqual([1_000, 990])
  expect(ring.read({ limit: 2 }).lines.map(({ seq }) => seq)).toEqual([1_000, 999])
  expect(ring.read({ limit: 9, after: 998 }).lines).toHaveLength(2)
  ring.add('error', 'x'.repeat(95))
  expect(ring.read({ limit: 9 }).lines.map(({ level }) => level)).toEqual(['error'])
})
