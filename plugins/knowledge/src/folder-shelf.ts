import { mkdir, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { dirname, join, sep } from 'node:path'
import { Agent, err, failure, messageOf, ok, tryAsync, type Failure, type Generation, type Result, type ToolContext } from '@amodal/sdk'
import type { Proposed, Shelf } from './shelf.ts'

/** `knowledge/` of the agent's own folder: the documents are files like those that people write, and the next turn has them. */
export function folderShelf(generation: () => Generation): Shelf {
  /** The place of a document, inside of the folder whatever links say. */
  async function placeOf(name: string, { bundle: { root } }: ToolContext): Promise<Result<string, Failure>> {
    if (root === undefined) return err(failure('NOT_FOUND', 'this agent has no folder to write to'))
    const path = join(root, 'knowledge', `${name}.md`)
    const folder = await tryAsync(async () => {
      await mkdir(dirname(path), { recursive: true })
      return { real: await realpath(dirname(path)), inside: await realpath(join(root, 'knowledge')), root: await realpath(root) }
    }, (cause) => failure('UNREADABLE', `knowledge/${name}.md cannot be written: ${messageOf(cause)}`))
    if (!folder.ok) return folder
    const { real, inside } = folder.value
    if (inside !== join(folder.value.root, 'knowledge') || !`${real}${sep}`.startsWith(`${inside}${sep}`)) return err(failure('UNREADABLE', `knowledge/${name}.md lies behind a link that leads elsewhere`))
    return ok(join(real, `${name.slice(name.lastIndexOf('/') + 1)}.md`))
  }

  async function change(name: string, ctx: ToolContext, work: (path: string) => Promise<void>): Promise<Result<void, Failure>> {
    const path = await placeOf(name, ctx)
    if (!path.ok) return path
    const done = await tryAsync(() => work(path.value), (cause) => failure('UNREADABLE', `knowledge/${name}.md cannot be written: ${messageOf(cause)}`))
    if (!done.ok) return done
    const loaded = await generation().scope.get(Agent).reloadBundle(ctx.signal)
    return loaded.ok ? ok(undefined) : loaded
  }

  return {
    scope: 'agent',
    put: (document, ctx) => change(document.name, ctx, async (path) => {
      const beside = `${path}.${randomUUID()}.part`
      try {
        await writeFile(beside, textOf(document), { signal: ctx.signal })
        await rename(beside, path)
      } finally {
        await rm(beside, { force: true })
      }
    }),
    async remove(name, ctx) {
      if (!ctx.bundle.knowledge.some((document) => document.file === `knowledge/${name}.md`)) return ok(false)
      const done = await change(name, ctx, (path) => rm(path, { force: true }))
      return done.ok ? ok(true) : done
    },
  }
}

function textOf({ title, body, category }: Proposed): string {
  return `${category === undefined ? '' : `---\ncategory: ${category}\n---\n\n`}# ${title}\n\n${body.trim()}\n`
}
