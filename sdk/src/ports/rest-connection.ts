import { slot, type Failure, type Json, type Result, type TenantId } from '@amodal/kernel'
import type { AgentBundle } from './bundle.ts'
import type { Persistence } from './persistence.ts'
import type { BodyField } from './tool.ts'

/**
 * A text of `spec.json`: plain, `env:NAME`, or `scope:NAME` for a secret that each tenant has of
 * its own.
 */
export type Credential = string

/** How requests of a connection say who asks. */
export type RestAuth =
  /** `bearer`, `header`, and `api_key` in a header. */
  | {
      readonly kind: 'header'
      readonly header: string
      readonly prefix: string
      readonly value: Credential
    }
  /** `api_key` in the query. */
  | { readonly kind: 'query'; readonly param: string; readonly value: Credential }
  | { readonly kind: 'basic'; readonly username: Credential; readonly password: Credential }
  | {
      readonly kind: 'oauth2'
      readonly grant: 'client_credentials' | 'refresh_token'
      readonly tokenUrl: Credential
      readonly clientId: Credential
      readonly clientSecret?: Credential
      readonly refreshToken?: Credential
      readonly scopes: readonly string[]
      readonly audience?: string
      /** How the client says who it is: HTTP Basic, or fields of the form (RFC 6749, 2.3.1). */
      readonly clientAuth: 'basic' | 'body'
      readonly header: string
      readonly prefix: string
    }

/**
 * A value of who asks, put into each request at a fixed place, where it wins over anything passed.
 */
export interface ContextInjection {
  /** `userId`, `tenant`, or a name of the message's `context`. */
  readonly value: string
  readonly in: 'header' | 'query' | 'path' | 'body'
  readonly field: string
  /** `false`: a request without the value is sent all the same. */
  readonly required: boolean
}

/** `spec.json` of an HTTP connection with every spelling made one. */
export interface RestSpec {
  readonly baseUrl: Credential
  readonly format: 'rest' | 'openapi' | 'graphql'
  readonly specUrl?: Credential
  /**
   * When the document of `specUrl` is refetched; default: the setting of the plugin that reads it.
   */
  readonly sync?: {
    readonly when: 'never' | 'load' | 'hourly' | 'daily' | 'weekly'
    /** What has changed in it is logged. */ readonly notifyDrift: boolean
  }
  /** Relative to `baseUrl`; asked by `amodal validate`. */
  readonly testPath?: string
  /** The request that `amodal validate` makes in its place. */
  readonly test?: { readonly method: string; readonly path: string; readonly body?: Json }
  readonly auth?: RestAuth
  /** Sent with each request. */
  readonly headers: Readonly<Record<string, Credential>>
  /**
   * Which endpoints there are for the agent, by tag and by path (globs; of GraphQL, fields): others
   * are neither shown nor called.
   */
  readonly filter: {
    readonly tags: readonly string[]
    readonly includePaths: readonly string[]
    readonly excludePaths: readonly string[]
  }
  readonly contextInjection: readonly ContextInjection[]
  readonly rateLimit?: { readonly perSecond: number; readonly burst: number }
  /** The proxy of its requests in place of those of the environment; `false`: none. */
  readonly proxy?: Credential | false
  /** ms for one exchange, bytes of one answer, tries of what may be repeated. */
  readonly limits: { readonly timeoutMs: number; readonly maxBytes: number; readonly tries: number }
  /** The target ignores a repeated `Idempotency-Key`, so writes are retried as well. */
  readonly idempotent: boolean
  /** How long the model sees its answers. */
  readonly resultPersistence?: Persistence
}

/** Secrets that each tenant has of its own: `scope:NAME` in `spec.json`. */
export interface ScopeSecrets {
  /** The tenant's value; `ENV_NOT_SET` says what to set. No tenant ever gets another's. */
  resolve(tenant: TenantId, name: string): Result<string, Failure>
}
export const ScopeSecrets = slot.kernel<ScopeSecrets>('scope-secrets')

/** One operation of an API document. */
export interface ApiEndpoint {
  /** Upper case; `QUERY` and `MUTATION` of GraphQL, where `path` is the name of the field. */
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly parameters: readonly ApiParameter[]
  /** What the body holds, in short. */
  readonly body?: string
  /**
   * Media types that the body may have, in the order of the document; left out where it takes JSON
   * alone.
   */
  readonly takes?: readonly ApiMedia[]
  /**
   * Parameters of an operation that shares its path with others (`/#Action=CopyImage`), each with
   * the one value that makes it this operation.
   */
  readonly fixed?: readonly {
    readonly name: string
    readonly in: 'query' | 'header'
    readonly value: string
  }[]
  /** Of GraphQL: the type of what it gives, such as `[Deal!]!`. */
  readonly gives?: string
  readonly deprecated?: true
  /** Of OpenAPI: servers of this operation in place of those of the document; absolute or paths. */
  readonly servers?: readonly string[]
}
/** A media type of a body, and what the document says of its fields. */
export interface ApiMedia {
  readonly type: string
  readonly fields?: Readonly<Record<string, BodyField>>
}
export interface ApiParameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'form' | 'argument'
  readonly type: string
  readonly required?: true
  readonly description?: string
}

/** What a connection's OpenAPI or GraphQL document says, after its filter. */
export interface ApiDocument {
  readonly title: string
  /** `OpenAPI 3.1`, `Swagger 2.0`, `GraphQL`. */
  readonly kind: string
  readonly endpoints: readonly ApiEndpoint[]
  /** Path of the server that the paths of the document are below, where it has one: `/v1`. */
  readonly basePath?: string
  /** Of GraphQL: what each type holds, such as `{ id: ID!, stage: Stage }`. */
  readonly types?: Readonly<Record<string, string>>
  /**
   * Of OpenAPI: the fields of each schema that has a name, as far as the document lists all of
   * them.
   */
  readonly schemas?: Readonly<Record<string, readonly string[]>>
  /** References of an OpenAPI document that lead nowhere: `common.yaml#/Deal`. */
  readonly missing?: readonly string[]
  /** The file or address it was read from. */
  readonly from: string
}

/** API documents by the name of their connection. */
export function apiDocumentsOf(bundle: AgentBundle): Readonly<Record<string, ApiDocument>> {
  // made by the plugin connect-rest, and frozen since
  return (bundle.parts['api-documents'] ?? {}) as unknown as Readonly<Record<string, ApiDocument>>
}

/**
 * A document with some of its operations: of GraphQL, types that only the others lead to are left
 * out, too.
 */
export function withEndpoints(
  document: ApiDocument,
  endpoints: readonly ApiEndpoint[],
): ApiDocument {
  const { types } = document
  if (!types) return { ...document, endpoints }
  const reached = new Map<string, string>()
  const reach = (text: string): void => {
    for (const [name] of text.matchAll(/[A-Za-z_]\w*/g)) {
      const type = reached.has(name) || !Object.hasOwn(types, name) ? undefined : types[name]
      if (type === undefined) continue
      reached.set(name, type)
      reach(type)
    }
  }
  for (const { gives = '', parameters } of endpoints)
    [gives, ...parameters.map(({ type }) => type)].forEach(reach)
  return { ...document, endpoints, types: Object.fromEntries(reached) }
}
