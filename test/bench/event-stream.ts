import { type Agent, request } from 'node:http'

/**
 * Opens a stream of events and reads it until its agent is destroyed.
 * @param hear - called with each complete line, because an event may arrive in several chunks
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
      // Destroying the agent ends the stream with an error.
      response.on('error', () => undefined)
    })
    call.on('error', reject)
    call.end()
  })
}
