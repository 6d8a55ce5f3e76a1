import { table } from '../table.ts'
import type { AccessFile } from '../types.ts'

const listed = { 'GET /open': { confirm: false }, 'POST /open': { confirm: 'allow' } } as const
const NEVER: AccessFile = { endpoints: listed, default: 'never' }
const SPLIT: AccessFile = { endpoints: listed, default: { read: 'allow', write: 'review' } }
const ONLY_WRITE: AccessFile = { default: { write: 'never' } }
const ONLY_READ: AccessFile = { default: { read: 'confirm' } }
const SPELLINGS: AccessFile = {
  endpoints: {
    'POST /false': { confirm: false }, 'POST /omitted': {}, 'POST /allow': { confirm: 'allow' },
    'POST /true': { confirm: true }, 'POST /confirm': { confirm: 'confirm' }, 'POST /review': { confirm: 'review' },
    'POST /never': { confirm: 'never' }, 'POST /deny': { confirm: 'deny' }, 'POST /hidden': { confirm: 'hidden' },
    'POST /reason': { reason: 'Only says why', returns: ['Deal'] }, 'GET /deny': { confirm: 'deny' }, 'GET /true': { confirm: true },
  },
}

export const defaultCases = [
  ...table({ group: 'spellings', rule: 3, access: SPELLINGS }, [
    ['false', 'POST /false', 'allow', 'false is allow'],
    ['omitted', 'POST /omitted', 'allow', 'omitted is allow'],
    ['reason-only', 'POST /reason', 'allow', 'omitted is allow, whatever else is said'],
    ['allow', 'POST /allow', 'allow', 'allow'],
    ['true', 'POST /true', 'confirm', 'true is confirm'],
    ['confirm', 'POST /confirm', 'confirm', 'confirm'],
    ['review', 'POST /review', 'review', 'review'],
    ['never', 'POST /never', 'never', 'never'],
    ['deny', 'POST /deny', 'never', 'deny is never'],
    ['hidden', 'POST /hidden', 'never', 'hidden is never'],
    ['read-deny', 'GET /deny', 'never', 'reads have tiers, too'],
    ['read-true', 'GET /true', 'confirm', 'reads have tiers, too'],
  ]),
  ...table({ group: 'defaults', rule: 4, access: NEVER }, [
    ['never-read', 'GET /x', 'never', 'the default covers reads'],
    ['never-write', 'POST /x', 'never', 'the default covers writes'],
    ['never-head', 'HEAD /x', 'never', 'the default covers HEAD'],
    ['never-options', 'OPTIONS /open', 'never', 'the default covers unlisted methods of listed paths'],
    ['never-delete', 'DELETE /open', 'never', 'the default covers unlisted methods of listed paths'],
    ['never-listed-read', 'GET /open', 'allow', 'a rule is before the default'],
    ['never-listed-write', 'POST /open', 'allow', 'a rule is before the default', { data: { a: 1 } }],
    ['never-listed-head', 'HEAD /open', 'allow', 'HEAD follows the rule of GET', { orStricter: true }],
    ['never-below-listed', 'GET /open/x', 'never', 'below a listed path is unlisted'],
    ['never-other-spelling', 'GET /OPEN/', 'allow', 'the listed path in another spelling'],
    ['deny', 'GET /x', 'never', 'deny is never', { access: { default: 'deny' } }],
    ['hidden', 'GET /x', 'never', 'hidden is never', { access: { default: 'hidden' } }],
    ['confirm-read', 'GET /x', 'confirm', 'the default covers reads', { access: { default: 'confirm' } }],
    ['true-read', 'GET /x', 'confirm', 'true is confirm', { access: { default: true } }],
    ['allow-write', 'POST /x', 'allow', 'the owner has said so', { access: { default: 'allow' }, data: { a: 1 } }],
    ['false-write', 'DELETE /x', 'allow', 'false is allow', { access: { default: false } }],
    ['allow-bulk', 'POST /x', 'review', 'bulk is raised whatever the default', { access: { default: 'allow' }, data: [1, 2, 3, 4, 5, 6], rule: 8 }],
    ['allow-read-with-body', 'GET /x', 'confirm', 'a read with a body asks whatever the default', { access: { default: 'allow' }, data: { a: 1 }, rule: 5 }],
    ['split-read', 'GET /x', 'allow', 'the default of reads', { access: SPLIT }],
    ['split-write', 'POST /x', 'review', 'the default of writes', { access: SPLIT }],
    ['split-delete', 'DELETE /open', 'review', 'the default of writes', { access: SPLIT }],
    ['split-options', 'OPTIONS /x', 'allow', 'the default of reads', { access: SPLIT }],
    ['split-read-with-body', 'GET /x', 'review', 'it counts as a write: the default of writes', { access: SPLIT, data: { a: 1 }, rule: 5 }],
    ['split-listed', 'POST /open', 'allow', 'a rule is before the default', { access: SPLIT, data: { a: 1 } }],
    ['only-write-read', 'GET /x', 'allow', 'what is not said stays as it was', { access: ONLY_WRITE }],
    ['only-write-write', 'PUT /x', 'never', 'the default of writes', { access: ONLY_WRITE }],
    ['only-read-read', 'GET /x', 'confirm', 'the default of reads', { access: ONLY_READ }],
    ['only-read-write', 'PUT /x', 'confirm', 'what is not said stays as it was', { access: ONLY_READ }],
    ['nothing-read', 'GET /x', 'allow', 'an empty file', { access: {} }],
    ['nothing-write', 'POST /x', 'confirm', 'an empty file', { access: {} }],
    ['no-rules-write', 'DELETE /x', 'confirm', 'no rules', { access: { endpoints: {} } }],
    ['delegated', 'POST /x', 'review', 'the default is raised like a rule', { access: { default: 'confirm' }, delegated: true, rule: 7 }],
  ]),
]
