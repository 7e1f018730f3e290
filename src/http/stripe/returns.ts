import * as z from 'zod'
import type { Kind, Objects } from '../../core/kinds.ts'
import type { Filter, View } from '../../engine/history/view.ts'
import type { Json } from '../json.ts'
import { type List, type ListCall, listObjects } from '../pagination.ts'
import { Component } from '../schemas/component.ts'
import type { WireList } from './wire.ts'

/** Declares the response of a route: an object of this name and type. Its name decides which fields can be expanded. */
export const returning = <Body extends Json>(name: string): Component<z.ZodType<Body>> =>
  new Component(name, () => z.custom<Body>())

/** Declares the response of a route: a list of objects of this name and type. */
export const returningList = <Entry extends Json>(name: string): Component<z.ZodType<WireList<Entry>>> =>
  returning<WireList<Entry>>(`${name} list`)

/** Presents a page of a merchant's objects, newest first. Throws what `listObjects` throws. */
export const listKind = <K extends Kind, Entry extends Json>(
  call: ListCall,
  kind: K,
  filters: readonly Filter[],
  present: (view: View, object: Objects[K]) => Entry,
): WireList<Entry> => wireList(listObjects(call, kind, filters, present))

/** Returns a list as Stripe shows it: without `livemode`. */
export const wireList = <Entry>({ object, data, has_more, url }: List<Entry>): WireList<Entry> => ({
  object,
  data,
  has_more,
  url,
})
