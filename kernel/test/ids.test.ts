import { expect, test } from 'vitest'
import { isId, newKey, newRunId, newSessionId } from '../src/index.ts'

test('keys are 16 letters and digits, all of them in use, and no two are the same', () => {
  const keys = Array.from({ length: 5_000 }, () => newKey())
  expect(new Set(keys).size).toBe(keys.length)
  for (const key of keys) expect(key).toMatch(/^[A-Za-z0-9]{16}$/)
  expect(new Set(keys.join('')).size).toBe(62)
})

test('ids of sessions and runs are ids on the wire, and say what they are of', () => {
  expect(newSessionId()).toMatch(/^sess_\w{16}$/)
  expect(newRunId()).toMatch(/^run_\w{16}$/)
  expect(isId(newSessionId()) && isId(newRunId())).toBe(true)
})
