/**
 * The client of the specification ("Building a Client"), as it stands there but for its address,
 * its output and a name where a line break was lost.
 */
export async function sampleClient(
  url: string,
  message: string,
  sessionId: string | null,
  show: (text: string) => void,
): Promise<string | null> {
  const response = await fetch(`${url}/chat/stream`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ message, sessionId }),
  })
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  let buffer = ''
  let currentSessionId = sessionId
  while (true) {
    const { done, value } = await reader.read()
    if (done) break
    buffer += decoder.decode(value, { stream: true })
    const lines = buffer.split('\n')
    buffer = lines.pop()! // keep incomplete line in buffer
    let eventType: string | null = null
    for (const line of lines) {
      if (line.startsWith('event: ')) {
        eventType = line.slice(7)
      } else if (line.startsWith('data: ') && eventType) {
        const data = JSON.parse(line.slice(6))
        switch (eventType) {
          case 'init':
            currentSessionId = data.sessionId
            break
          case 'text_delta':
            show(data.delta)
            break
          case 'tool_call_start':
            show(`\n[Calling ${data.name}...]`)
            break
          case 'tool_call_result':
            show('[Result received]')
            break
          case 'widget':
            show(`[widget ${JSON.stringify(data.data)}]`)
            break
          case 'error':
            show(`Error: ${data.message}`)
            break
          case 'done':
            show('\n')
            break
          default:
            break
        }
        eventType = null
      }
    }
  }
  return currentSessionId
}
