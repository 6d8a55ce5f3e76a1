import { type Answerer, askId, type PendingAsk, principalId } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { confirmations } from '../src/index.ts'
import { approvalPolicy } from '../src/policy.ts'

pluginContract(confirmations, { config: { expiresMinutes: 5, answeredBy: ['asker', 'lead'] } })

const ask = (tier: string, type: PendingAsk['type'] = 'approval'): PendingAsk => ({
  id: askId('ask_1'),
  type,
  schema: {},
  context: { tier },
})
const who = (name: string, ...roles: readonly string[]): Answerer => ({
  principal: principalId(name),
  asker: principalId('ann'),
  roles,
})

test.each([
  [['asker'], undefined, 'confirm', who('ann'), true],
  [['asker'], undefined, 'confirm', who('bob', 'asker'), false],
  [['lead'], undefined, 'confirm', who('bob', 'lead'), true],
  [['lead'], undefined, 'confirm', who('ann'), false],
  [['anyone'], undefined, 'review', who('bob'), true],
  [['asker'], ['other'], 'review', who('ann'), false],
  [['asker'], ['other'], 'review', who('bob'), true],
  [['asker'], ['other'], 'confirm', who('bob'), false],
])(
  'answered by %j, reviewed by %j: a %s of ann, answered by %j: %s',
  (answeredBy, reviewedBy, tier, answerer, may) => {
    const policy = approvalPolicy({ expiresMinutes: 0, answeredBy, reviewedBy })
    expect(policy.mayAnswer(ask(tier), answerer).ok).toBe(may)
  },
)

test('a question of the model is no review', () => {
  expect(
    approvalPolicy({ expiresMinutes: 0, answeredBy: ['asker'], reviewedBy: ['other'] }).mayAnswer(
      ask('review', 'question'),
      who('ann'),
    ).ok,
  ).toBe(true)
})

test('whoever may not answer hears of no question', () => {
  expect(
    approvalPolicy({ expiresMinutes: 0, answeredBy: ['lead'] }).mayAnswer(
      ask('confirm'),
      who('ann'),
    ),
  ).toMatchObject({
    ok: false,
    error: { code: 'ASK_NOT_FOUND', message: 'the question "ask_1" is not open' },
  })
})
