import { SALES, table } from '../table.ts'
import type { AccessFile } from '../types.ts'

const KEEP: AccessFile = { ...SALES, delegations: { enabled: true, escalateConfirm: false } }
const RAISE: AccessFile = {
  ...SALES,
  delegations: { enabled: true, maxDurationDays: 7, escalateConfirm: true },
}
const NONE: AccessFile = { ...SALES, delegations: { enabled: false } }
const ORDER: AccessFile = {
  endpoints: {
    'POST /orders': {
      confirm: true,
      thresholds: [{ field: 'body.amount', above: 10, escalate: 'never' }],
    },
    'POST /open': { thresholds: [{ field: 'body.amount', above: 10, escalate: 'confirm' }] },
  },
}
const body = { name: 'x' }

export const delegationCases = [
  ...table({ group: 'delegations', rule: 7, access: RAISE }, [
    ['confirm', 'POST /deals', 'review', 'confirm becomes review', { delegated: true, data: body }],
    ['confirm-in-person', 'POST /deals', 'confirm', 'nobody has delegated', { data: body }],
    [
      'context-is-no-delegation',
      'POST /deals',
      'confirm',
      'what the context says does not count',
      { data: body, context: { delegated: 'true', role: 'sub-agent' } },
    ],
    [
      'confirm-by-default',
      'POST /deals',
      'review',
      'the block may be missing',
      { access: SALES, delegated: true, data: body },
    ],
    [
      'confirm-unsaid',
      'POST /deals',
      'review',
      'escalateConfirm is on unless it is false',
      { access: { ...SALES, delegations: { enabled: true } }, delegated: true, data: body },
    ],
    [
      'confirm-empty-block',
      'POST /deals',
      'review',
      'escalateConfirm is on unless it is false',
      { access: { ...SALES, delegations: {} }, delegated: true, data: body },
    ],
    [
      'confirm-kept',
      'POST /deals',
      'confirm',
      'escalateConfirm is false',
      { access: KEEP, delegated: true, data: body },
    ],
    [
      'confirmed-read',
      'GET /contacts/7',
      'review',
      'a read that asks is raised, too',
      { delegated: true },
    ],
    ['allowed-read', 'GET /deals', 'allow', 'what does not ask is not raised', { delegated: true }],
    [
      'allowed-write',
      'POST /deals/7/notes',
      'allow',
      'what does not ask is not raised',
      { delegated: true, data: body },
    ],
    ['review', 'PUT /deals/7', 'review', 'review stays', { delegated: true, data: body }],
    ['never', 'DELETE /deals/7', 'never', 'never stays', { delegated: true }],
    [
      'unlisted-write',
      'POST /products',
      'review',
      'an unlisted write asks, and is raised',
      { delegated: true, data: body },
    ],
    [
      'unlisted-read',
      'GET /products',
      'allow',
      'what does not ask is not raised',
      { delegated: true },
    ],
    [
      'read-with-body',
      'GET /deals',
      'review',
      'a read with a body asks, and is raised',
      { delegated: true, data: { a: 1 } },
    ],
    [
      'bulk-kept',
      'POST /deals',
      'review',
      'bulk is raised on its own',
      { access: KEEP, delegated: true, data: [1, 2, 3, 4, 5, 6] },
    ],
    [
      'context-claims',
      'POST /deals',
      'review',
      'what the context says does not count',
      { delegated: true, data: body, context: { delegated: 'false', userId: 'u-1' } },
    ],
    [
      'body-claims',
      'POST /deals',
      'review',
      'what the request says does not count',
      { delegated: true, data: { delegated: false, isDelegated: false } },
    ],
    [
      'threshold-raised',
      'POST /open',
      'review',
      'first the threshold, then the delegation',
      { access: ORDER, delegated: true, data: { amount: 11 } },
    ],
    [
      'threshold-never',
      'POST /orders',
      'never',
      'the threshold is stricter',
      { access: ORDER, delegated: true, data: { amount: 11 } },
    ],
    [
      'threshold-not-met',
      'POST /orders',
      'review',
      'confirm becomes review',
      { access: ORDER, delegated: true, data: { amount: 1 } },
    ],
  ]),
  ...table({ group: 'delegations-off', rule: 7, access: NONE }, [
    ['write', 'POST /deals', 'never', 'no delegated writes', { delegated: true, data: body }],
    [
      'allowed-write',
      'POST /deals/7/notes',
      'never',
      'no delegated writes, allowed or not',
      { delegated: true, data: body },
    ],
    [
      'unlisted-write',
      'POST /products',
      'never',
      'no delegated writes',
      { delegated: true, data: body },
    ],
    ['review', 'PUT /deals/7', 'never', 'no delegated writes', { delegated: true, data: body }],
    ['read', 'GET /deals', 'allow', 'reads are not writes', { delegated: true }],
    ['confirmed-read', 'GET /contacts/7', 'review', 'confirm becomes review', { delegated: true }],
    [
      'read-with-body',
      'GET /deals',
      'never',
      'a read with a body counts as a write',
      { delegated: true, data: { a: 1 } },
    ],
    ['in-person', 'POST /deals', 'confirm', 'nobody has delegated', { data: body }],
    ['in-person-allowed', 'POST /deals/7/notes', 'allow', 'nobody has delegated', { data: body }],
    [
      'off-but-kept',
      'POST /deals',
      'never',
      'escalateConfirm does not switch it on',
      {
        access: { ...SALES, delegations: { enabled: false, escalateConfirm: false } },
        delegated: true,
        data: body,
      },
    ],
    [
      'refused',
      'POST https://evil.example/',
      'refused',
      'refused before any rule is asked',
      { delegated: true, data: body },
    ],
  ]),
]
