import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { explain, Kernel, Sealer, Secrets, use } from '@amodal/sdk'
import { secretsEnv } from '../src/index.ts'

export async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'amodal-secrets-'))
  onTestFinished(() => rm(made, { recursive: true, force: true }))
  return made
}

export async function boot(
  config: Readonly<Record<string, unknown>>,
): Promise<{ readonly kernel: Kernel; readonly secrets: Secrets; readonly sealer: Sealer }> {
  const made = await Kernel.create([use(secretsEnv, config)])
  if (!made.ok) throw new Error(explain(made.error))
  const kernel = made.value
  onTestFinished(async () => {
    await kernel.close()
  })
  return { kernel, secrets: kernel.scope.get(Secrets), sealer: kernel.scope.get(Sealer) }
}

export async function refusal(config: Readonly<Record<string, unknown>>): Promise<string> {
  const made = await Kernel.create([use(secretsEnv, config)])
  if (!made.ok) return explain(made.error)
  await made.value.close()
  return 'it started'
}
