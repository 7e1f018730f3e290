import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http'

// Their properties are replaced, so these must be the modules themselves.
const http = process.getBuiltinModule('node:http')
const https = process.getBuiltinModule('node:https')

/** Sends requests to the daemon, never through a proxy. It uses Node's original functions. */
export type Direct = {
  /** @param options.agent - the agent of the application, whose setting for keep-alive is used */
  request(url: URL, options: RequestOptions, callback?: (response: IncomingMessage) => void): ClientRequest
}

export function makeDirect(): Direct {
  const originals = { http: http.request, https: https.request }
  return {
    request: ({ protocol, hostname, port, pathname, search }, options, callback) => {
      const name = protocol === 'https:' ? 'https' : 'http'
      const to = {
        ...options,
        protocol,
        hostname: hostname.replace(/^\[|\]$/g, ''),
        host: hostname,
        port,
        path: pathname + search,
        agent: agentOf(options.agent, name),
      }
      return originals[name](to, callback)
    },
  }
}

const MODULES = { http, https }
const agents = { http: new WeakMap<Agent, Agent>(), https: new WeakMap<Agent, Agent>() }

/** Returns an agent without a proxy, with the keep-alive setting of the given one. */
function agentOf(given: RequestOptions['agent'], name: keyof typeof MODULES): Agent | false {
  if (given === false) return false
  const like = given instanceof https.Agent ? given : https.globalAgent
  const known = agents[name].get(like)
  if (known) return known
  const { maxSockets, maxFreeSockets, options } = like
  const { keepAlive, keepAliveMsecs, timeout } = options
  const made = new MODULES[name].Agent({ keepAlive, keepAliveMsecs, maxSockets, maxFreeSockets, timeout })
  agents[name].set(like, made)
  return made
}
