import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as main from '../src/index.ts'

/** Values of the main door. What one plugin alone needs has a door of its own. */
const MOST_VALUES = 150

test('the main door is short enough to be known', () => {
  expect(Object.keys(main).length).toBeLessThan(MOST_VALUES)
})

test('the main door names what it gives of the kernel', () => {
  const text = readFileSync(join(import.meta.dirname, '../src/index.ts'), 'utf8')
  expect(text).not.toMatch(/export \* from '(@amodal\/kernel|\.\/ports)/)
})
