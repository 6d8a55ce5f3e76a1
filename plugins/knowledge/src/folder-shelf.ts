import { mkdir, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { basename, dirname, join, sep } from 'node:path'
import { assertLease } from '@amodal/sdk/database'
import { partPath, isElsewhere, mountOf } from '@amodal/sdk/files'
import {
  Agent,
  err,
  failure,
  LOCAL_TENANT,
  messageOf,
  ok,
  tryAsync,
  type AgentBundle,
  type Failure,
  type Generation,
  type Result,
  type ToolContext,
} from '@amodal/sdk'
import type { Proposed, Shelf } from './shelf.ts'

/**
 * `knowledge/` of the agent's own folder: the documents are files like those that people write, and
 * the next turn has them.
 */
export function folderShelf(generation: () => Generation): Shelf {
  /** The path of a document; refuses paths that links or mounts lead out of the folder. */
  async function placeOf(
    name: string,
    { bundle, tenant }: ToolContext,
  ): Promise<Result<string, Failure>> {
    const { root } = bundle
    if (root === undefined) return err(failure('NOT_FOUND', 'this agent has no folder to write to'))
    if (tenant !== LOCAL_TENANT)
      return err(
        failure(
          'TOOL_DENIED',
          'a document that one tenant approves would be in the prompts of all tenants: with tenants, `proposals` of the plugin knowledge has to be "tenant"',
        ),
      )
    const file = fileOf(name, bundle)
    const path = join(root, file)
    const shelf = file.slice(0, file.indexOf('knowledge/') + 'knowledge'.length)
    const place = await tryAsync(
      async () => {
        const folder = await realOf(dirname(path))
        if (!`${folder}${sep}`.startsWith(`${join(await realpath(root), shelf)}${sep}`))
          return undefined
        await mkdir(folder, { recursive: true })
        if (isElsewhere(await mountOf(await realpath(root)), await mountOf(folder)))
          return undefined
        return join(folder, basename(path))
      },
      (cause) =>
        failure('UNREADABLE', `knowledge/${name}.md cannot be written: ${messageOf(cause)}`),
    )
    if (!place.ok) return place
    return place.value === undefined
      ? err(
          failure(
            'UNREADABLE',
            `knowledge/${name}.md lies behind a link or a mount that leads elsewhere`,
          ),
        )
      : ok(place.value)
  }

  async function change(
    name: string,
    ctx: ToolContext,
    work: (path: string) => Promise<void>,
  ): Promise<Result<void, Failure>> {
    const path = await placeOf(name, ctx)
    if (!path.ok) return path
    const done = await tryAsync(
      () => work(path.value),
      (cause) =>
        failure('UNREADABLE', `knowledge/${name}.md cannot be written: ${messageOf(cause)}`),
    )
    if (!done.ok) return done
    const loaded = await generation().scope.get(Agent).reloadBundle(ctx.signal)
    return loaded.ok
      ? ok(undefined)
      : err({
          ...loaded.error,
          message: `knowledge/${name}.md is changed, and the agent could not be loaded with it: ${loaded.error.message}`,
        })
  }

  return {
    scope: 'agent',
    has: (name, { bundle }) => Promise.resolve(isThere(name, bundle)),
    put: (document, ctx) =>
      change(document.name, ctx, async (path) => {
        const temporary = `${path}.${randomUUID()}.part`
        try {
          await writeFile(temporary, textOf(document), { signal: ctx.signal })
          assertLease(ctx.lease)
          await rename(temporary, path)
        } finally {
          await rm(temporary, { force: true })
        }
      }),
    async remove(name, ctx) {
      if (!isThere(name, ctx.bundle)) return ok(false)
      const done = await change(name, ctx, (path) => rm(path, { force: true }))
      return done.ok ? ok(true) : done
    },
  }
}

const isThere = (name: string, bundle: AgentBundle): boolean =>
  bundle.knowledge.some(({ file }) => file === fileOf(name, bundle))

/** Where a document stands, or a new one goes: one that stands in `amodal/` stays there. */
function fileOf(name: string, { knowledge }: AgentBundle): string {
  const path = `knowledge/${name}.md`
  return knowledge.find(({ file }) => partPath(file) === path)?.file ?? path
}

/** The real path of a folder of which only the beginning may exist. */
async function realOf(folder: string): Promise<string> {
  try {
    return await realpath(folder)
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')) throw cause
    return join(await realOf(dirname(folder)), basename(folder))
  }
}

function textOf({ title, body, category }: Proposed): string {
  return `${category === undefined ? '' : `---\ncategory: ${category}\n---\n\n`}# ${title}\n\n${body.trim()}\n`
}
