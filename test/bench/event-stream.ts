import { type Agent, request } from 'node:http'

/**
 * Opens a stream of events and reads it for as long as its agent lives.
 * @param hear - is given every line, whole: an event may come in two pieces
 */
export function openStream(
  agent: Agent,
  { url, secretKey }: { readonly url: string; readonly secretKey: string },
  hear: (line: string) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${secretKey}`, Accept: 'text/event-stream' }
    const call = request(`${url}/v1/events`, { agent, headers }, (response) => {
      resolve()
      let rest = ''
      response.setEncoding('utf8').on('data', (text: string) => {
        const lines = (rest + text).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) hear(line)
      })
      // The end comes from here: the agent is destroyed.
      response.on('error', () => undefined)
    })
    call.on('error', reject)
    call.end()
  })
}
