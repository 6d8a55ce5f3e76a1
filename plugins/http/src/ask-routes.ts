import {
  err,
  failure,
  LOCAL_IDENTITY,
  LOCAL_TENANT,
  messageOf,
  ok,
  tenantId,
  trySync,
  type CommandContext,
  type Kernel,
  type RouteHandler,
} from '@amodal/sdk'
import { LOCAL_CALLER } from '@amodal/sdk/loop'
import { z } from 'zod'
import { serverCredential } from './server-credential.ts'

/**
 * Sends a request to routes of the product. It aborts with `signal`; default: with the command.
 *
 * @param path with its query, such as `/automations?limit=5`
 * @param body sent as JSON; bytes as they are
 */
export type AskRoutes = (
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
  signal?: AbortSignal,
  headers?: Readonly<Record<string, string>>,
) => Promise<Response>

/**
 * Sends requests to a running server, with the credential of the command line and for the tenant of
 * `--scope`.
 *
 * @example
 * const ask = askServer(context, 'http://127.0.0.1:3847')
 * const response = await ask('GET', '/automations')
 */
export function askServer(context: CommandContext, url: string): AskRoutes {
  const { scope } = context.options
  const credential = serverCredential(context, url)
  return (method, path, body, signal = context.signal, headers = {}) =>
    fetch(new URL(path, url), {
      ...requestOf(method, body),
      headers: {
        ...headers,
        ...typeOf(body),
        ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
        ...(typeof scope === 'string' && { 'x-scope-id': scope }),
      },
      signal,
    })
}

/**
 * Sends requests to the server of `--url`, or to the routes of the agent folder in this process as
 * the local caller.
 *
 * @param routesOf the routes in a kernel that runs without its socket
 */
export async function askRoutes(
  context: CommandContext,
  routesOf: (kernel: Kernel) => RouteHandler,
): Promise<AskRoutes> {
  const { scope, url } = context.options
  if (typeof url === 'string') return askServer(context, url)
  const routes = routesOf(await context.start({ without: ['http'] }))
  const tenant = typeof scope === 'string' ? tenantId(scope) : LOCAL_TENANT
  return async (method, path, body, signal = context.signal, headers = {}) =>
    routes.fetch(
      new Request(`http://127.0.0.1${path}`, {
        ...requestOf(method, body),
        headers: { ...headers, ...typeOf(body) },
      }),
      {
        signal,
        identity: LOCAL_IDENTITY,
        caller: (requested) =>
          requested === undefined || requested === null || requested === tenant
            ? ok({ ...LOCAL_CALLER, tenant })
            : err(failure('NOT_FOUND', 'there is no such scope')),
      },
    )
}

/**
 * The error of a route as a line for people: its code and its message, or the text as it is where
 * the body is none of ours.
 *
 * @param text body of a response that is not ok
 */
export function errorLine(text: string): string {
  const body = trySync(() => JSON.parse(text) as unknown, messageOf)
  const read = body.ok ? ErrorBody.safeParse(body.value) : undefined
  return read?.success === true ? `${read.data.error.code}: ${read.data.error.message}` : text
}

const ErrorBody = z.object({ error: z.object({ code: z.string(), message: z.string() }) })

const requestOf = (method: string, body: object | undefined): RequestInit => ({
  method,
  ...(body && { body: isBytes(body) ? body : JSON.stringify(body) }),
})

const isBytes = (body: object): body is Uint8Array<ArrayBuffer> => body instanceof Uint8Array

const typeOf = (body: object | undefined): Readonly<Record<string, string>> =>
  body ? { 'content-type': isBytes(body) ? 'application/octet-stream' : 'application/json' } : {}
