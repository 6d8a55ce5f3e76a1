import { describe, expect, test } from 'vitest'
import {
  explain,
  Kernel,
  principalId,
  Tenancy,
  tenantId,
  unwrap,
  use,
  type Identity,
} from '@amodal/sdk'
import { tenant } from '../src/index.ts'

async function tenancy(
  config: Readonly<Record<string, unknown>> = {},
): Promise<AsyncDisposable & { readonly of: (identity: Identity, asked?: string) => unknown }> {
  const kernel = unwrap(await Kernel.create([use(tenant, config)]), explain)
  const made = kernel.scope.get(Tenancy)
  return {
    of(identity, asked) {
      const caller = made.callerOf(identity, asked)
      return caller.ok ? caller.value.tenant : caller.error.code
    },
    [Symbol.asyncDispose]: async () => {
      await kernel.close()
    },
  }
}

const who = { principal: principalId('p'), roles: ['r'], scopes: ['*'] }
const bound: Identity = { ...who, tenant: tenantId('acme') }
const backend: Identity = { ...who, choosesTenant: true }
const person: Identity = who

describe('whose data it is', () => {
  test.each([
    ['a credential of a tenant', bound, {}, undefined, 'acme'],
    ['and its own scope', bound, {}, 'acme', 'acme'],
    ['and another one, which is not there for it', bound, {}, 'other', 'NOT_FOUND'],
    ['not even the default', bound, {}, 'local', 'NOT_FOUND'],
    ['whoever may choose, and says nothing', backend, {}, undefined, 'local'],
    ['and says something', backend, {}, 'acme', 'acme'],
    ['with another default', backend, { default: 'main' }, undefined, 'main'],
    ['of the scopes there are', backend, { known: ['acme'] }, 'acme', 'acme'],
    ['and no others', backend, { known: ['acme'] }, 'other', 'NOT_FOUND'],
    ['whoever may not choose', person, {}, undefined, 'local'],
    ['and names what is theirs anyway', person, {}, 'local', 'local'],
    ['and anything else', person, {}, 'acme', 'NOT_FOUND'],
    ['where a scope is needed', backend, { requireScope: true }, undefined, 'SCOPE_REQUIRED'],
    ['and is named', backend, { requireScope: true }, 'acme', 'acme'],
    ['and the credential says it', bound, { requireScope: true }, undefined, 'acme'],
    ['and cannot be named', person, { requireScope: true }, undefined, 'SCOPE_REQUIRED'],
    ['nor the default', person, { requireScope: true }, 'local', 'NOT_FOUND'],
  ])('%s', async (_, identity, config, asked, expected) => {
    await using made = await tenancy(config)
    expect(made.of(identity, asked)).toBe(expected)
  })
})

test("an unknown scope and somebody else's are the same failure", async () => {
  const kernel = unwrap(await Kernel.create([use(tenant, { known: ['acme', 'other'] })]), explain)
  const made = kernel.scope.get(Tenancy)
  expect(JSON.stringify(made.callerOf(bound, 'other'))).toBe(
    JSON.stringify(made.callerOf(backend, 'nowhere')),
  )
  await kernel.close()
})

test('roles travel along, and sessions are held to who began them where config says so', async () => {
  const kernel = unwrap(await Kernel.create([use(tenant, { sessions: 'principal' })]), explain)
  expect(kernel.scope.get(Tenancy).callerOf(bound, undefined)).toEqual({
    ok: true,
    value: { tenant: 'acme', principal: 'p', roles: ['r'], ownSessionsOnly: true },
  })
  await kernel.close()
})
