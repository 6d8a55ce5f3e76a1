import { pluginContract } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { groupsOf } from '../src/backup/table-reader.ts'
import { ops } from '../src/index.ts'

pluginContract(ops, { config: {} })

test('rows are read in groups that are bounded by their size', () => {
  const sizes = [1_500_000, 400_000, 200_000, 5_000_000, 10]
  expect([...groupsOf(sizes)]).toEqual([2, 1, 1, 1])
  expect([...groupsOf([])]).toEqual([])
})
