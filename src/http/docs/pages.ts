import type { Description } from '../openapi.ts'
import { errorsPage } from './errors-page.ts'
import { indexPage } from './index-page.ts'
import { layout, type PageContent } from './layout.ts'
import { resourcePage } from './resource-page.ts'

/** The pages of the documentation, made from the description. */
export class Pages {
  readonly #description: Description
  readonly #url: string

  /** @param url - the daemon's, for the examples */
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

  /** The page of a resource, as in payment_intents; undefined when there is none. */
  resource(name: string): string | undefined {
    const tag = this.#description.tags.find((known) => known.name === name)
    return tag && this.#lay(resourcePage(tag, this.#description, this.#url))
  }

  #lay(content: PageContent): string {
    return layout(content, this.#description.tags)
  }
}
