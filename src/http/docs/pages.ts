import type { Description } from '../openapi.ts'
import { errorsPage } from './errors-page.ts'
import { indexPage } from './index-page.ts'
import { layout, type PageContent } from './layout.ts'
import { resourcePage } from './resource-page.ts'

/** Renders the pages of the documentation. */
export class Pages {
  readonly #description: Description
  readonly #url: string

  /** @param url - the url of the daemon, for the examples */
  constructor(description: Description, url: string) {
    this.#description = description
    this.#url = url
  }

  index(): string {
    return this.#lay(indexPage(this.#description, this.#url))
  }

  errors(): string {
    return this.#lay(errorsPage(this.#description))
  }

  /** Renders the page of a resource, such as payment_intents; undefined if there is none. */
  resource(name: string): string | undefined {
    const tag = this.#description.tags.find((known) => known.name === name)
    return tag && this.#lay(resourcePage(tag, this.#description, this.#url))
  }

  #lay(content: PageContent): string {
    return layout(content, this.#description.tags)
  }
}
