import { expect, onTestFinished, test } from 'vitest'
import {
  CODES,
  defineError,
  definePlugin,
  explain,
  failure,
  Inspector,
  Kernel,
  use,
} from '../src/index.ts'
import { isClosedAsk, statusOf } from '../src/wire/index.ts'
import { STATUSES } from '../src/inspection/index.ts'

const Closed = defineError({ code: 'SHOP_CLOSED', status: 409, fix: 'come back tomorrow' })

test('a code has one status, and a plugin adds the statuses of its own codes', async () => {
  const shop = definePlugin({
    name: 'shop',
    version: '1.0.0',
    errors: [Closed],
    setup: () => undefined,
  })
  const created = await Kernel.create([use(shop)])
  if (!created.ok) throw new Error(explain(created.error))
  onTestFinished(async () => void (await created.value.close()))
  const { generation } = created.value.scope.get(Inspector).facts()
  expect(Closed('it is late').status).toBe(409)
  expect(statusOf('SHOP_CLOSED', generation)).toBe(409)
  expect(statusOf('SHOP_CLOSED')).toBe(500)
  expect(statusOf('SESSION_NOT_FOUND', generation)).toBe(404)
  expect(statusOf('NEVER_DEFINED', generation)).toBe(500)
})

test('a failure of a shared code has no status of its own', () => {
  expect(failure('NOT_FOUND', 'there is no store')).toEqual({
    code: 'NOT_FOUND',
    message: 'there is no store',
  })
  expect(Object.keys(CODES)).toEqual(expect.arrayContaining(Object.keys(STATUSES)))
})

test('three codes say that the question of an answer is closed', () => {
  expect(Object.keys(CODES).filter(isClosedAsk)).toEqual([
    'ASK_NOT_FOUND',
    'ASK_SETTLED',
    'ASK_EXPIRED',
  ])
})
