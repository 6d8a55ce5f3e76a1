import { sha256 } from '@amodal/sdk'

const LONGEST = 64

/**
 * `server__tool` in the letters that models take; longer than 64 it is cut, and ends in a hash of
 * the whole.
 */
export function toolName(server: string, tool: string): string {
  const name = `${server}__${tool}`.replaceAll(/[^A-Za-z0-9_-]/g, '_')
  return name.length > LONGEST ? marked(name, server, tool) : name
}

/** The name for a tool whose own one is taken. */
export function otherName(server: string, tool: string): string {
  return marked(toolName(server, tool), server, tool)
}

function marked(name: string, server: string, tool: string): string {
  const mark = sha256(JSON.stringify([server, tool])).slice(0, 8)
  return `${name.slice(0, LONGEST - mark.length - 1)}_${mark}`
}
