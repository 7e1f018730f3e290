import type { Clock } from './clock.ts'
import type { MerchantState } from './merchant-state.ts'
import { type RequestContext, UnitOfWork, type UnitServices } from './unit.ts'

/** Makes units of work. */
export class Units {
  readonly #services: UnitServices

  constructor(services: UnitServices) {
    this.#services = services
  }

  /**
   * A unit in which a command of a merchant runs.
   * @param request - the request that it serves; null when it serves none
   */
  forCommand(merchant: MerchantState, request: RequestContext | null = null): UnitOfWork {
    return new UnitOfWork(this.#services, { merchant, request, moving: null })
  }

  /** A unit in which a step of a clock's advance runs. */
  forStep(merchant: MerchantState, moving: Clock): UnitOfWork {
    return new UnitOfWork(this.#services, { merchant, request: null, moving })
  }
}
