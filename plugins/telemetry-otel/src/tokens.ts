import { slot } from '@amodal/sdk'

/** A request of the Model Context Protocol that a run makes. */
export interface McpRequest {
  /** Such as `tools/call`. */
  readonly method: string
  /** The key of the effect, or of the call that makes the request. */
  readonly key: string
  /** The tool, by the name that its server has for it. */
  readonly tool?: string
  readonly prompt?: string
  /** The revision of the protocol. */
  readonly protocol?: string
  /** The session of the protocol, where there is one. */
  readonly session?: string
  /** `pipe`: over stdio; `tcp`: over HTTP. */
  readonly transport: 'pipe' | 'tcp'
}

/** The span of a request. */
export interface McpSpan {
  /** For `params._meta`: what the server does belongs below the span. */
  readonly traceparent: string
  /**
   * The response has arrived, or never will.
   *
   * @param error its kind, where the request failed: a code, never a text
   */
  readonly end: (error?: string) => void
}

/** Begins the spans of requests that a run makes to MCP servers. */
export interface McpTraces {
  /** @returns `undefined` where the run is not traced */
  readonly begin: (request: McpRequest) => McpSpan | undefined
}
export const McpTraces = slot.run<McpTraces>('mcp-traces')
