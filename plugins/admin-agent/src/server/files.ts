import { err, ok, type Failure, type Result, type RouteContext } from '@amodal/sdk'
import { endpoint, failed, readJson } from '@amodal/plugin-http/tokens'
import type { Hono } from 'hono'
import { z } from 'zod'
import { ChangeConflict, FileNotFound } from '../errors.ts'
import type { ChangeBook } from '../repo/change-book.ts'
import { carriesRights, readOwnPath, readPath } from '../repo/repo-path.ts'
import { deciderOf, localOnly } from './local.ts'
import { appliedShown } from './shown.ts'

type App = Hono<{ Bindings: RouteContext }>

const PREFIX = '/api/files'
export const Written = z.strictObject({
  content: z.string().max(1_000_000),
  /** Of the file as it was read: another one is not overwritten. */
  hash: z.string().max(100).nullish(),
})

/** `/api/files`: the agent's files, for the person at this machine. */
export function fileRoutes(app: App, book: ChangeBook): void {
  endpoint(app, PREFIX, {
    GET: async ({ env }) => {
      const foreign = localOnly(env)
      if (foreign) return failed(foreign)
      const files = await book.repo.list()
      return Response.json({
        files: files.map((path) => ({ path, carries_rights: carriesRights(path) })),
      })
    },
  })
  endpoint(app, `${PREFIX}/*`, {
    GET: async ({ env, req }) => {
      const foreign = localOnly(env)
      const path = foreign ? err(foreign) : readPath(pathOf(req.path))
      const file = path.ok ? await book.repo.read(path.value) : path
      if (!file.ok) return failed(file.error)
      const { hash, path: shown, text } = file.value
      return Response.json({ path: shown, content: text, hash })
    },
    PUT: async ({ env, req }) => {
      const decider = deciderOf(env)
      if (!decider.ok) return failed(decider.error)
      const body = await readJson(req.raw, Written)
      if (!body.ok) return failed(body.error)
      const { content, hash } = body.value
      return written(book, env, decider.value.principal, {
        path: pathOf(req.path),
        after: content,
        hash,
      })
    },
    DELETE: async ({ env, req }) => {
      const decider = deciderOf(env)
      if (!decider.ok) return failed(decider.error)
      return written(book, env, decider.value.principal, { path: pathOf(req.path), after: null })
    },
  })
}

const pathOf = (path: string): string => decodeURIComponent(path.slice(PREFIX.length + 1))

interface Writing {
  readonly path: string
  readonly after: string | null
  readonly hash?: string | null | undefined
}

async function written(
  book: ChangeBook,
  env: RouteContext,
  principal: string,
  writing: Writing,
): Promise<Response> {
  const file = await changeOf(book, writing)
  if (!file.ok) return failed(file.error)
  const change = await book.write({ principal, files: [file.value] }, env.signal)
  return change.ok ? Response.json({ change: appliedShown(change.value) }) : failed(change.error)
}

async function changeOf(
  book: ChangeBook,
  { after, hash, path: given }: Writing,
): Promise<Result<{ path: string; before: string | null; after: string | null }, Failure>> {
  const path = readOwnPath(given)
  if (!path.ok) return path
  const place = await book.repo.place(path.value)
  if (!place.ok) return place
  if (place.value === 'nothing')
    return after === null
      ? err(FileNotFound(`there is no file ${path.value}`))
      : ok({ path: path.value, before: null, after })
  const file = await book.repo.read(path.value)
  if (!file.ok) return file
  return hash == null || hash === file.value.hash
    ? ok({ path: path.value, before: file.value.text, after })
    : err(ChangeConflict(`${path.value} has changed since it was read`))
}
