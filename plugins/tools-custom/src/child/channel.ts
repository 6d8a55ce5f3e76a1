import { Socket } from 'node:net'
import { parse } from './exact-number.ts'

type Message = { readonly type: string } & Readonly<Record<string, unknown>>

/** Lines of JSON on descriptor 3, to and from the server. */
export class Channel {
  readonly #socket = new Socket({ fd: 3, readable: true, writable: true })
  #text = ''

  /** Exits when the server closes the channel. */
  listen(heard: (message: Message) => void): void {
    this.#socket.setEncoding('utf8')
    this.#socket.on('data', (chunk: string) => {
      const lines = (this.#text + chunk).split('\n')
      this.#text = lines.pop() ?? ''
      for (const line of lines) heard(parse(line) as Message) // the server writes nothing else
    })
    this.#socket.on('close', () => process.kill(process.pid, 'SIGKILL'))
    this.#socket.on('error', () => process.kill(process.pid, 'SIGKILL'))
  }

  send(message: Message): void {
    this.#socket.write(`${JSON.stringify(message)}\n`)
  }

  /** Sends the last message. */
  end(message: Message): void {
    this.#socket.end(`${JSON.stringify(message)}\n`, () => process.kill(process.pid, 'SIGKILL'))
  }
}
