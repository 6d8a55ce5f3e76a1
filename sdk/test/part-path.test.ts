import { partPath } from '@amodal/sdk/files'
import { expect, test } from 'vitest'

test.each([
  ['amodal/tools/pay/handler.ts', 'tools/pay/handler.ts'],
  ['tools/pay/handler.ts', 'tools/pay/handler.ts'],
  ['amodal/_lib/a.ts', 'amodal/_lib/a.ts'],
  ['skills/amodal/tools/a.md', 'skills/amodal/tools/a.md'],
])('the part at %s is %s', (path, part) => {
  expect(partPath(path)).toBe(part)
})
