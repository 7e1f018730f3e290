/** @jsxImportSource hono/jsx */
import { parseInstant } from '../core/calendar.ts'
import { ApiError } from '../core/errors.ts'
import type { ApiParams } from '../http/dashboard/operator-api.ts'
import { type Action, type ActionField, CARD } from './actions.ts'
import { type PageContext, v1Of } from './context.ts'
import { given } from './pager.tsx'
import { PostForm } from './post-form.tsx'

type Props = Pick<PageContext, 'formToken'> & { readonly actions: readonly Action[]; readonly path: string }

/** The buttons of the actions on an object. An action with fields opens a form. @param path - the path of the object's page */
export const ActionForms = ({ actions, path, formToken }: Props) => (
  <div class="actions" data-part="actions" data-key={actions.map(({ name }) => name).join(' ')}>
    {actions.map(({ name, label, isDangerous, fields = [] }) => {
      const form = (
        <PostForm
          action={`${path}/actions/${name}`}
          formToken={formToken}
          label={label}
          isDangerous={isDangerous ?? false}
          isPrimary={fields.length > 0}
          class={fields.length > 0 ? 'stack' : undefined}
        >
          {fields.map((field) => (
            <Field field={field} />
          ))}
        </PostForm>
      )
      return fields.length === 0 ? (
        form
      ) : (
        <details class="action">
          <summary class="button">{label}…</summary>
          {form}
        </details>
      )
    })}
  </div>
)

function Field({ field }: { field: ActionField }) {
  const { name, label, placeholder, isRequired } = field
  if (field.type === 'choice')
    return (
      <label>
        {label}
        <select name={name}>
          {field.choices.map((choice) => (
            <option value={choice}>{choice.replaceAll('_', ' ')}</option>
          ))}
        </select>
      </label>
    )
  return (
    <label>
      {label}
      <input
        type={field.type === 'time' ? 'datetime-local' : 'number'}
        name={name}
        min={field.type === 'time' ? undefined : '1'}
        step={field.type === 'time' ? '1' : undefined}
        placeholder={placeholder}
        required={isRequired}
      />
    </label>
  )
}

/** Sends the request of an action with the fields of its form. @throws ApiError */
export async function doAction(context: PageContext, action: Action): Promise<void> {
  const { api, form } = context
  const { attaches, fields = [] } = action
  const params: Record<string, ApiParams[string]> = { ...action.params }
  for (const field of fields) {
    if (field.name !== CARD) params[field.name] = sentValue(field, given(form, field.name))
  }
  if (attaches) {
    const card = `payment_methods/${encodeURIComponent(given(form, CARD) ?? '')}/attach`
    const { id } = await api.post<{ readonly id: string }>(v1Of(context, card), {
      customer: attaches.customer,
    })
    params[attaches.param] = id
  }
  const path = v1Of(context, action.path)
  await (action.method === 'POST' ? api.post(path, params) : api.delete(path, params))
}

/** Returns the value of a field for the API. Browsers send times without a zone, and without seconds if they are zero. */
function sentValue({ type, label }: ActionField, value: string | undefined): ApiParams[string] {
  if (type !== 'time' || value === undefined) return value
  const at = parseInstant(`${value}${value.length === 16 ? ':00' : ''}Z`)
  if (at !== undefined) return at
  throw new ApiError({
    status: 400,
    type: 'invalid_request_error',
    code: 'parameter_invalid',
    message: `${label}: '${value}' is not a time`,
  })
}
