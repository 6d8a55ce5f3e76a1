import type * as Server from '@modelcontextprotocol/server'

/** The library of the protocol, loaded with the first client. */
export type Protocol = typeof Server

/** What the library gives a handler beside the request. */
export type McpContext = Server.ServerContext

export type {
  CallToolResult,
  InputRequiredResult,
  McpServer,
  ServerEventBus,
  Tool,
  Transport,
} from '@modelcontextprotocol/server'

/** A result, or what a person has to answer before there is one. */
export type ToolAnswer = Server.CallToolResult | Server.InputRequiredResult

export const protocol = (): Promise<Protocol> => import('@modelcontextprotocol/server')
