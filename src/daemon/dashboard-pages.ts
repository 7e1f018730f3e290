import type { AdminServices } from '../http/admin/services.ts'

/** Returns a function that loads the pages of the dashboard at its first call, to keep the start fast. */
export function dashboardPages(): AdminServices['dashboard'] {
  let loading: ReturnType<AdminServices['dashboard']> | undefined
  return () => {
    loading ??= import('../dashboard/pages.ts').then(({ createPages }) => createPages())
    return loading
  }
}
