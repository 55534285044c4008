// Generated from the OpenAPI document by client/generate.ts. After a change of routes: UPDATE_CLIENT=1 npx jest test/client/operations

export type AdjustStockError = {
  success: false;
  data: {
    partnerSku: string;
    success: false;
    message: string;
  }[];
};

export type AttentionPage = {
  orders: {
    id: string;
    orderReferenceId: string;
    clientId: string;
    clientName: string;
    fulfillmentStatus:
      | 'draft'
      | 'created'
      | 'uploading'
      | 'passed'
      | 'in_production'
      | 'printed'
      | 'shipped'
      | 'in_transit'
      | 'delivered'
      | 'returned'
      | 'on_hold'
      | 'failed'
      | 'canceled';
    country: string;
    /** Why an operator should look at it. */
    attention: (
      | 'not_received'
      | 'not_printed'
      | 'not_dispatched'
      | 'partner_error'
      | 'partner_refused'
      | 'partner_unreachable'
      | 'partner_cancelled'
      | 'short_shipped'
      | 'voided_label'
      | 'cancel_refused'
      | 'no_partner'
      | 'dispatch_failed'
      | 'out_of_step'
    )[];
    createdAt: string;
    updatedAt: string;
  }[];
  /** Give it as cursor for the next page; null on the last. */
  nextCursor: string | null;
};

export type AttributeValue = {
  id: string;
  /** Left out when none was given */
  description?: string | undefined;
  /** With computed ones: rgb and cmyk of a hex colour code, inches of millimetres */
  properties: Record<string, string | number | string[]>;
  isCustom: boolean;
  isDefault: boolean;
  attributeId: string;
  createdAt: string;
  updatedAt: string;
};

export type BillingEntity = {
  /** The operator’s own number of it. */
  id: number;
  companyName: string;
  companyNumber?: string | undefined;
  companyVatNumber?: string | undefined;
  companyVatNumbers?: string[] | undefined;
  countryIsoCode?: string | undefined;
  country?: string | undefined;
  recipientName?: string | undefined;
  addressLine1?: string | undefined;
  addressLine2?: string | undefined;
  city?: string | undefined;
  postCode?: string | undefined;
  stateCode?: string | undefined;
  state?: string | undefined;
  email?: string | undefined;
  phone?: string | undefined;
  currencyIsoCode?: string | undefined;
  currency?: string | undefined;
  status?: number | undefined;
  iossNumber?: string | undefined;
  invoiceType?: string | undefined;
};

export type CancelOrder = {
  reason?: string | null | undefined;
};

export type CarrierEvent = {
  /** The same for every copy of one event. */
  id: string;
  trackingNumber: string;
  statusUid:
    | 'registered'
    | 'dispatched'
    | 'in_transit'
    | 'shipping_exception'
    | 'out_for_delivery'
    | 'failed_attempt'
    | 'available_for_pickup'
    | 'not_picked_up'
    | 'returned'
    | 'delivered';
  message: string;
  description?: string | undefined;
  location?: string | undefined;
  /** When it happened. */
  createdAt: string;
  expectedDeliveryDate?: string | undefined;
};

export type CarrierEvents = {
  events: CarrierEvent[];
};

export type CodecPayloads = {
  payloads: {
    metadata?: Record<string, string> | undefined;
    data?: string | undefined;
  }[];
};

export type CodedError = {
  code: ErrorCode;
  message: string;
  requestId: string;
  errors?: FieldError[] | undefined;
};

export type Connector = {
  id: string;
  name: string;
  /** POST an order here. */
  submitOrderUrl: string;
  /** GET an order at this address, a slash, and its id or reference. */
  getOrderUrl: string;
  /** PUT a new method or address here, with the order’s id or reference for {order_id}. */
  updateShipmentUrl: string;
  createdAt: string;
  billingEntity: BillingEntity | null;
  returnAddress: {
    country: string;
    companyName?: string | null | undefined;
    addressLine1: string;
    addressLine2?: string | null | undefined;
    city: string;
    postCode: string;
    state?: string | null | undefined;
    email?: string | null | undefined;
    phone?: string | null | undefined;
    id: string;
  } | null;
  iossNumber: string | null;
  keys: ConnectorKey[];
};

export type ConnectorChange = {
  /** Whom receipts are made out to. */
  billingEntity?: BillingEntity | null | undefined;
  /** Where parcels that come back are to go. */
  returnAddress?: ReturnAddress | null | undefined;
  /** Customs papers of parcels into the EU of up to 150 EUR carry it. */
  iossNumber?: string | null | undefined;
};

export type ConnectorKey = {
  id: string;
  /** First and last characters of the key. */
  hint: string;
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
};

export type CreatedConnector = {
  id: string;
  name: string;
  /** POST an order here. */
  submitOrderUrl: string;
  /** GET an order at this address, a slash, and its id or reference. */
  getOrderUrl: string;
  /** PUT a new method or address here, with the order’s id or reference for {order_id}. */
  updateShipmentUrl: string;
  createdAt: string;
  billingEntity: BillingEntity | null;
  returnAddress: {
    country: string;
    companyName?: string | null | undefined;
    addressLine1: string;
    addressLine2?: string | null | undefined;
    city: string;
    postCode: string;
    state?: string | null | undefined;
    email?: string | null | undefined;
    phone?: string | null | undefined;
    id: string;
  } | null;
  iossNumber: string | null;
  keyId: string;
  /** Shown this once. */
  apiKey: string;
  /** Shown this once. */
  apiSecret: string;
};

export type CustomerProduct = {
  id: string;
  name: string;
  customerIds: string[];
  productModelId: string;
  variantOptions: {
    /** Unique within the customer product */
    id: string;
    /** What orders call the option in productVariant */
    name: string;
    attributesMapping: {
      /** A part of the product model, or the product model itself */
      partModelId: string;
      attributeIds: string[];
    }[];
  }[];
  partQuantities: {
    partModelId: string;
    quantity: number;
  }[];
  createdAt: string;
  updatedAt: string;
};

export type DeadMessagePage = {
  messages: {
    id: string;
    kind: 'start_workflow' | 'signal_workflow' | 'notification';
    /** Workflow id, or id of the receiving endpoint. */
    target: string;
    attempts: number;
    createdAt: string;
    deadAt: string;
    lastError: string | null;
  }[];
  nextCursor: string | null;
};

export type DispatchAnswer = {
  documents: {
    type: 'label' | 'invoice';
    contentType: string;
    format: string;
    /** Valid for seven days. */
    url: string;
  }[];
  trackingCode?: string | undefined;
  trackingLink?: string | undefined;
};

export type DispatchRequest = {
  orderId: string;
};

export type ErrorCode =
  | 'VALIDATION_ERROR'
  | 'MALFORMED_JSON'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'CONFLICT'
  | 'DUPLICATE_ORDER_REFERENCE'
  | 'IDEMPOTENCY_IN_FLIGHT'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'LINK_EXPIRED'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'RATE_LIMITED'
  | 'PUBLIC_API_ERROR'
  | 'TRACKING_DETAILS_NOT_FOUND'
  | 'UNAVAILABLE'
  | 'INTERNAL_ERROR';

export type FieldError = {
  code: 'VALIDATION_ERROR' | 'IS_BLANK_ERROR' | 'MISSING_FIELD_ERROR' | 'NO_SUCH_CHOICE_ERROR';
  message: string;
  /** Path of the field, as in packages[0].items[1].hsCode. */
  reference: string;
};

export type KeyRotation = {
  /** How long the present keys go on working: up to 30 days, a day by default. */
  overlapSeconds?: number | undefined;
};

export type ListedCustomerProduct = {
  id: string;
  name: string;
  customerIds: string[];
  productModelId: string;
  variantOptions: {
    /** Unique within the customer product */
    id: string;
    /** What orders call the option in productVariant */
    name: string;
    attributesMapping: {
      /** A part of the product model, or the product model itself */
      partModelId: string;
      attributeIds: string[];
    }[];
    values: string[];
    defaultValue: string;
    state: string;
  }[];
  partQuantities: {
    partModelId: string;
    quantity: number;
  }[];
  createdAt: string;
  updatedAt: string;
  state: string;
};

export type NewConnector = {
  name: string;
  /** Whom receipts are made out to. */
  billingEntity?: BillingEntity | null | undefined;
  /** Where parcels that come back are to go. */
  returnAddress?: ReturnAddress | null | undefined;
  /** Customs papers of parcels into the EU of up to 150 EUR carry it. */
  iossNumber?: string | null | undefined;
};

export type OperatorOrder = {
  id: string;
  orderReferenceId: string;
  clientId: string;
  clientName: string;
  fulfillmentStatus:
    | 'draft'
    | 'created'
    | 'uploading'
    | 'passed'
    | 'in_production'
    | 'printed'
    | 'shipped'
    | 'in_transit'
    | 'delivered'
    | 'returned'
    | 'on_hold'
    | 'failed'
    | 'canceled';
  financialStatus:
    | 'draft'
    | 'pending'
    | 'invoiced'
    | 'paid'
    | 'refunded'
    | 'partially_refunded'
    | 'canceled'
    | 'refused';
  country: string;
  /** Why an operator should look at it. */
  attention: (
    | 'not_received'
    | 'not_printed'
    | 'not_dispatched'
    | 'partner_error'
    | 'partner_refused'
    | 'partner_unreachable'
    | 'partner_cancelled'
    | 'short_shipped'
    | 'voided_label'
    | 'cancel_refused'
    | 'no_partner'
    | 'dispatch_failed'
    | 'out_of_step'
  )[];
  /** Changes of address or method so far. */
  shippingRevision: number;
  requestId: string | null;
  /** Of its run, for the Temporal UI. */
  workflowId: string;
  refusal: {
    code: string;
    reason: string;
    details: Record<string, unknown> | null;
  } | null;
  createdAt: string;
  updatedAt: string;
  items: {
    id: string;
    itemReferenceId: string;
    productUid: string | null;
    productName: string | null;
    quantity: number;
    fulfillmentStatus:
      | 'draft'
      | 'created'
      | 'uploading'
      | 'passed'
      | 'in_production'
      | 'printed'
      | 'shipped'
      | 'in_transit'
      | 'delivered'
      | 'returned'
      | 'on_hold'
      | 'manual_handling'
      | 'failed'
      | 'cancelled';
  }[];
  printOrders: {
    id: string;
    partnerId: string;
    partnerUid: string;
    kind: string;
    version: string;
    /** The step of the run that made it. */
    step: string;
    status: string;
    /** The print order it makes again. */
    reproducesId: string | null;
    /** webhook-id of its deliveries. */
    messageId: string;
    acceptedAt: string | null;
    dispatchDate: string;
    createdAt: string;
    jobs: {
      id: string;
      itemId: string;
      quantity: number;
      status: string;
    }[];
    shipments: {
      id: string;
      status: string;
      shipmentMethodUid: string;
      startedAt: string;
      boughtAt: string | null;
      voidedAt: string | null;
      trackingNumbers: string[];
    }[];
    postbacks: {
      id: string;
      status: string;
      /** The partner’s time. */
      at: string;
      message: string | null;
      /** The one job it is about; null: the whole print order. */
      jobId: string | null;
      items:
        | {
            jobId: string;
            quantity: number | null;
          }[]
        | null;
      trackingCode: string | null;
      trackingLink: string | null;
      receivedAt: string;
      /** Null: on its way to the run, or the run had ended. */
      handledAt: string | null;
    }[];
  }[];
  routing: {
    step: string;
    createdAt: string;
    decision:
      | {
          ok: true;
          assignments: {
            partnerId: string;
            partnerUid: string;
            itemId: string;
            quantity: number;
            kind: 'print' | 'apparel' | 'mounted';
            dispatchDate: string;
            backordered: boolean;
            productionCost: {
              minor: number;
              currency: string;
            };
          }[];
          /** What a parcel from each chosen partner was reckoned at. */
          parcels: Record<string, number>;
          explanation: {
            itemId: string;
            alternatives: (
              | {
                  partnerId: string;
                  partnerUid: string;
                  verdict: 'chosen';
                  /** What the partner asks, and what days and risks are worth, on one scale. */
                  cost: {
                    /** Euro cents. */
                    production: number;
                    /** Euro cents. */
                    waiting: number;
                    /** Euro cents. */
                    transit: number;
                    /** Euro cents. */
                    stock: number;
                    /** Euro cents. */
                    total: number;
                  };
                  dispatchDate: string;
                  backordered: boolean;
                }
              | {
                  partnerId: string;
                  partnerUid: string;
                  verdict: 'dearer';
                  /** What the partner asks, and what days and risks are worth, on one scale. */
                  cost: {
                    /** Euro cents. */
                    production: number;
                    /** Euro cents. */
                    waiting: number;
                    /** Euro cents. */
                    transit: number;
                    /** Euro cents. */
                    stock: number;
                    /** Euro cents. */
                    total: number;
                  };
                  dispatchDate: string;
                  backordered: boolean;
                }
              | {
                  partnerId: string;
                  partnerUid: string;
                  verdict: 'dearer_overall';
                  /** What the partner asks, and what days and risks are worth, on one scale. */
                  cost: {
                    /** Euro cents. */
                    production: number;
                    /** Euro cents. */
                    waiting: number;
                    /** Euro cents. */
                    transit: number;
                    /** Euro cents. */
                    stock: number;
                    /** Euro cents. */
                    total: number;
                  };
                  dispatchDate: string;
                  backordered: boolean;
                }
              | {
                  partnerId: string;
                  partnerUid: string;
                  verdict: 'rejected';
                  reason:
                    | 'excluded'
                    | 'kind_not_made'
                    | 'model_not_made'
                    | 'destination_not_served'
                    | 'disabled'
                    | 'not_subscribed'
                    | 'out_of_stock';
                  detail: string;
                }
            )[];
          }[];
        }
      | {
          ok: false;
          unroutable: {
            itemId: string;
            /** Whether a partner may take it later. */
            passing: boolean;
            reason: string;
          }[];
          explanation: {
            itemId: string;
            alternatives: (
              | {
                  partnerId: string;
                  partnerUid: string;
                  verdict: 'chosen';
                  /** What the partner asks, and what days and risks are worth, on one scale. */
                  cost: {
                    /** Euro cents. */
                    production: number;
                    /** Euro cents. */
                    waiting: number;
                    /** Euro cents. */
                    transit: number;
                    /** Euro cents. */
                    stock: number;
                    /** Euro cents. */
                    total: number;
                  };
                  dispatchDate: string;
                  backordered: boolean;
                }
              | {
                  partnerId: string;
                  partnerUid: string;
                  verdict: 'dearer';
                  /** What the partner asks, and what days and risks are worth, on one scale. */
                  cost: {
                    /** Euro cents. */
                    production: number;
                    /** Euro cents. */
                    waiting: number;
                    /** Euro cents. */
                    transit: number;
                    /** Euro cents. */
                    stock: number;
                    /** Euro cents. */
                    total: number;
                  };
                  dispatchDate: string;
                  backordered: boolean;
                }
              | {
                  partnerId: string;
                  partnerUid: string;
                  verdict: 'dearer_overall';
                  /** What the partner asks, and what days and risks are worth, on one scale. */
                  cost: {
                    /** Euro cents. */
                    production: number;
                    /** Euro cents. */
                    waiting: number;
                    /** Euro cents. */
                    transit: number;
                    /** Euro cents. */
                    stock: number;
                    /** Euro cents. */
                    total: number;
                  };
                  dispatchDate: string;
                  backordered: boolean;
                }
              | {
                  partnerId: string;
                  partnerUid: string;
                  verdict: 'rejected';
                  reason:
                    | 'excluded'
                    | 'kind_not_made'
                    | 'model_not_made'
                    | 'destination_not_served'
                    | 'disabled'
                    | 'not_subscribed'
                    | 'out_of_stock';
                  detail: string;
                }
            )[];
          }[];
        };
  }[];
  /** Oldest first. What an operator did carries `by` and `reason`. */
  events: {
    type: string;
    itemId: string | null;
    printOrderId: string | null;
    data: Record<string, unknown>;
    at: string;
  }[];
  /** Null when no worker answers, and for orders whose run is no longer kept. */
  run: {
    version: number;
    phase: 'preparing' | 'running' | 'closed';
    held: boolean;
    shippingRevision: number;
    /** Why an operator should look at it. */
    attention: (
      | 'not_received'
      | 'not_printed'
      | 'not_dispatched'
      | 'partner_error'
      | 'partner_refused'
      | 'partner_unreachable'
      | 'partner_cancelled'
      | 'short_shipped'
      | 'voided_label'
      | 'cancel_refused'
      | 'no_partner'
      | 'dispatch_failed'
      | 'out_of_step'
    )[];
    items: {
      id: string;
      quantity: number;
      status:
        | 'draft'
        | 'created'
        | 'uploading'
        | 'passed'
        | 'in_production'
        | 'printed'
        | 'shipped'
        | 'in_transit'
        | 'delivered'
        | 'returned'
        | 'on_hold'
        | 'manual_handling'
        | 'failed'
        | 'cancelled';
    }[];
    printOrders: {
      id: string;
      partnerId: string;
      partnerUid: string;
      dispatchDate: string;
      reproducesId: string | null;
      delivery: 'pending' | 'accepted' | 'refused' | 'undeliverable';
      cancel: 'requested' | 'confirmed' | 'refused' | null;
      transit: 'in_transit' | 'delivered' | 'returned' | null;
      shipment: {
        id: string;
        revision: number;
      } | null;
      /** A label was voided after a change of address or method. */
      labelTakenBack?: boolean | undefined;
      /** A carrier has scanned a parcel under another label than the one that stands. */
      strayParcel?: boolean | undefined;
      jobs: {
        id: string;
        itemId: string;
        quantity: number;
        /** 0 nothing said, 1 received, 2 printed, 3 shipped. */
        progress: 0 | 1 | 2 | 3;
        /** The partner’s time of it; empty before the first word. */
        progressAt: string;
        error: {
          at: string;
          message: string;
        } | null;
        /** Units the partner cancelled and nobody has dealt with. */
        cancelledQuantity: number;
        /** The partner’s time of the latest cancellation. */
        cancelledAt?: string | undefined;
        ended: 'cancelled' | 'superseded' | null;
      }[];
    }[];
  } | null;
};

export type Order = {
  id: string;
  clientId: string;
  orderReferenceId: string;
  customerReferenceId: string | null;
  fulfillmentStatus:
    | 'draft'
    | 'created'
    | 'uploading'
    | 'passed'
    | 'in_production'
    | 'printed'
    | 'shipped'
    | 'in_transit'
    | 'delivered'
    | 'returned'
    | 'on_hold'
    | 'failed'
    | 'canceled';
  financialStatus:
    | 'draft'
    | 'pending'
    | 'invoiced'
    | 'paid'
    | 'refunded'
    | 'partially_refunded'
    | 'canceled'
    | 'refused';
  currency: string;
  shippingAddress: RetrievedShippingAddress;
  items: RetrievedItem[];
  shipment: Shipment | null;
  receipts: Receipt[];
  createdAt: string;
  orderedAt: string | null;
  updatedAt: string;
  refusalReason: string | null;
  refusalReasonCode: string | null;
  refusalReasonDetails: Record<string, unknown> | null;
  comment: string | null;
  channel: string;
  storeId: null;
  orderedByUserId: null;
  orderType: 'order' | 'draft';
  metadata: {
    key: string;
    value: string;
  }[];
  billingEntity: {
    id: number;
    companyName: string;
    companyVatNumbers: string[];
  } & Record<string, unknown>;
  retailCurrency: string | null;
  retailShippingPriceInclVat: number | null;
  paymentMethodType: null;
  paymentMethodId: null;
  prepaymentTransactionId: null;
  connectedOrderIds: string[];
  discounts: unknown[];
  returnAddress: Record<string, unknown> | null;
  iossNumber: string | null;
  digitizationId: null;
  appServices: unknown[];
  shipmentMethodUid: string | null;
  /** What happened to the order as a whole; items carry their own. */
  eventLog: {
    type: string;
    printOrderId: string | null;
    data: Record<string, unknown>;
    createdAt: string;
  }[];
};

export type OrderFile = {
  type: string;
  url: string;
  metadata?:
    | {
        key: string;
        value: string;
      }[]
    | null
    | undefined;
};

export type OrderItem = {
  itemReferenceId: string;
  productUid?: string | null | undefined;
  productName?: string | null | undefined;
  productVariant?: Record<string, string> | null | undefined;
  quantity: number;
  retailPriceInclVat?: number | null | undefined;
  files: OrderFile[];
  customTrim?:
    | {
        widthMm: number;
        heightMm: number;
      }
    | null
    | undefined;
  metadata?:
    | {
        key: string;
        value: string;
      }[]
    | null
    | undefined;
};

export type OrderPage = {
  orders: OrderSummary[];
  /** Give it as cursor for the next page; null on the last. */
  nextCursor: string | null;
};

export type OrderQuote = {
  orderReferenceId: string | null;
  currency: string;
  /** One for each print order that the order would be made in. */
  quotes: {
    fulfillmentCountry: string;
    fulfillmentStateProvince: string | null;
    fulfillmentFacilityId: string;
    dispatchDate: string;
    /** Such an order needs retail prices, or it is refused. */
    isCrossBorder: boolean;
    packageCount: number;
    /** Grams, packaging included. */
    totalWeight: number;
    items: {
      itemReferenceId: string;
      productName: string;
      quantity: number;
      currency: string;
      /** Before the quantity’s discount. */
      priceInitial: number;
      discount: number;
      /** Before VAT. */
      price: number;
      vat: number;
      priceInclVat: number;
    }[];
    /** The method that the totals are reckoned with. */
    shipmentMethodUid: string;
    shippingPrice: number;
    shippingPriceVat: number;
    shippingPriceInclVat: number;
    /** Cheapest first. */
    shipmentMethods: {
      uid: string;
      name: string;
      carrierUid: string;
      carrierName: string;
      serviceType: string;
      /** Before VAT. */
      price: number;
      currency: string;
      isCheapest: boolean;
      isTracked: boolean;
      /** Calendar days from today to delivery, production included. */
      minDeliveryDays: number;
      maxDeliveryDays: number;
      minDeliveryDate: string;
      maxDeliveryDate: string;
    }[];
  }[];
  productsPrice: number;
  productsPriceVat: number;
  productsPriceInclVat: number;
  shippingPrice: number;
  shippingPriceVat: number;
  shippingPriceInclVat: number;
  total: number;
  totalVat: number;
  totalInclVat: number;
};

export type OrderSearch = {
  ids?: string[] | null | undefined;
  orderReferenceIds?: string[] | null | undefined;
  /** For operators; clients see their own orders only. */
  clientIds?: string[] | null | undefined;
  fulfillmentStatuses?:
    | (
        | 'draft'
        | 'created'
        | 'uploading'
        | 'passed'
        | 'in_production'
        | 'printed'
        | 'shipped'
        | 'in_transit'
        | 'delivered'
        | 'returned'
        | 'on_hold'
        | 'failed'
        | 'canceled'
      )[]
    | null
    | undefined;
  financialStatuses?:
    | (
        | 'draft'
        | 'pending'
        | 'invoiced'
        | 'paid'
        | 'refunded'
        | 'partially_refunded'
        | 'canceled'
        | 'refused'
      )[]
    | null
    | undefined;
  orderTypes?: ('order' | 'draft')[] | null | undefined;
  /** Of the shipping address. */
  countries?: string[] | null | undefined;
  channels?: string[] | null | undefined;
  /** Orders created at this instant or later. */
  createdFrom?: string | null | undefined;
  /** Orders created before this instant. */
  createdTo?: string | null | undefined;
  limit?: number | undefined;
  /** nextCursor of the page before; the filters must stay the same. */
  cursor?: string | null | undefined;
};

export type OrderSummary = {
  id: string;
  clientId: string;
  orderReferenceId: string;
  customerReferenceId: string | null;
  orderType: 'order' | 'draft';
  channel: string;
  fulfillmentStatus:
    | 'draft'
    | 'created'
    | 'uploading'
    | 'passed'
    | 'in_production'
    | 'printed'
    | 'shipped'
    | 'in_transit'
    | 'delivered'
    | 'returned'
    | 'on_hold'
    | 'failed'
    | 'canceled';
  financialStatus:
    | 'draft'
    | 'pending'
    | 'invoiced'
    | 'paid'
    | 'refunded'
    | 'partially_refunded'
    | 'canceled'
    | 'refused';
  refusalReasonCode: string | null;
  currency: string;
  country: string;
  firstName: string;
  lastName: string;
  itemCount: number;
  /** Invoices less refunds; null until the order is priced. */
  totalInclVat: number | null;
  createdAt: string;
  orderedAt: string | null;
  updatedAt: string;
};

export type PatchDraft = {
  orderReferenceId?: string | undefined;
  currency?: string | undefined;
  shippingAddress?: ShippingAddress | undefined;
  items?: OrderItem[] | undefined;
  customerReferenceId?: string | null | undefined;
  retailCurrency?: string | null | undefined;
  retailShippingPriceInclVat?: number | null | undefined;
  shipmentMethodUid?: string | null | undefined;
  packagingInstructions?:
    | {
        packageItems: {
          orderItemReferenceId: string;
          quantity: number;
        }[];
        packingSlip?:
          | {
              fileUrl: string;
            }
          | null
          | undefined;
      }[]
    | null
    | undefined;
  metadata?:
    | {
        key: string;
        value: string;
      }[]
    | null
    | undefined;
  orderType?: 'order' | 'draft' | undefined;
};

export type PlainError = {
  error: string;
};

export type ProductModel = {
  id: string;
  name: string;
  description: string;
  previewURL: string;
  attributes: {
    id: string;
    description: string;
    properties: {
      id: string;
      description: string;
      type: string;
    }[];
    /** For operators */
    valueIds?: string[] | null | undefined;
    /** For operators */
    defaultValueId?: string | null | undefined;
  }[];
  productUidTemplate: string;
  categoryId: string;
  parts: {
    modelId: string;
    id: string;
    name: string;
    quantity: number;
    order: number;
  }[];
  state: 'draft' | 'active' | 'inactive';
  /** For operators: how it is made, packed and priced */
  production?:
    | {
        kind?: 'print' | 'apparel' | 'mounted' | undefined;
        modelUid?: string | undefined;
        productTypeUid?: string | undefined;
        productNameUid?: string | undefined;
        partType?: 'print' | 'stock' | 'service' | undefined;
        workflowEnabled?: boolean | undefined;
        fileTypes?:
          | (
              | 'default'
              | 'front'
              | 'back'
              | 'cover'
              | 'inside'
              | 'neck-inner'
              | 'neck-outer'
              | 'sleeve-left'
              | 'sleeve-right'
              | 'chest-left-embroidery'
              | 'chest-center-embroidery'
              | 'chest-large-embroidery'
              | 'sleeve-left-embroidery'
              | 'sleeve-right-embroidery'
              | 'wrist-left-embroidery'
              | 'wrist-right-embroidery'
            )[]
          | undefined;
        sizeAttribute?: string | undefined;
        orientationAttribute?: string | undefined;
        paperAttribute?: string | undefined;
        printAreas?:
          | {
              fileType:
                | 'default'
                | 'front'
                | 'back'
                | 'cover'
                | 'inside'
                | 'neck-inner'
                | 'neck-outer'
                | 'sleeve-left'
                | 'sleeve-right'
                | 'chest-left-embroidery'
                | 'chest-center-embroidery'
                | 'chest-large-embroidery'
                | 'sleeve-left-embroidery'
                | 'sleeve-right-embroidery'
                | 'wrist-left-embroidery'
                | 'wrist-right-embroidery';
              required?: boolean | undefined;
              size?:
                | {
                    widthMm: number;
                    heightMm: number;
                  }
                | undefined;
              when?:
                | {
                    attributeId: string;
                    valueIds: string[];
                  }
                | undefined;
            }[]
          | undefined;
        pages?:
          | {
              attributeId: string;
              multipleOf?: number | undefined;
              included?: number | undefined;
            }
          | undefined;
        weightGrams?: number | undefined;
        addedGrams?: Record<string, Record<string, number>> | undefined;
        packed?:
          | {
              form: 'flat';
              marginMm: number;
              thicknessMm: number;
            }
          | {
              form: 'tube';
              diameterMm: number;
              marginMm: number;
            }
          | {
              form: 'box';
              lengthMm: number;
              widthMm: number;
              heightMm: number;
            }
          | undefined;
        unitsPerPackage?: number | undefined;
        packagingWeightGrams?: number | undefined;
        hsCode?: string | undefined;
        priceList?:
          | Record<
              string,
              {
                from: number;
                unitMinor: number;
              }[]
            >
          | undefined;
        priceFactors?: Record<string, Record<string, string>> | undefined;
        pagePrices?: Record<string, number> | undefined;
        partnerSku?: string | undefined;
        unitPriceMinorEur?: number | undefined;
      }
    | undefined;
};

export type QuoteOrder = {
  orderReferenceId?: string | null | undefined;
  currency: string;
  shippingAddress: {
    country: string;
    firstName?: string | null | undefined;
    lastName?: string | null | undefined;
    addressLine1?: string | null | undefined;
    city: string;
    postCode: string;
    state?: string | null | undefined;
  };
  items: {
    itemReferenceId: string;
    productUid?: string | null | undefined;
    productName?: string | null | undefined;
    productVariant?: Record<string, string> | null | undefined;
    quantity: number;
  }[];
  shipmentMethodUid?: string | null | undefined;
};

export type Receipt = {
  id: string;
  orderId: string;
  type: string;
  currency: string;
  items: {
    id: string;
    receiptId: string;
    orderId: string;
    clientId: string;
    type: string;
    referenceId: string;
    title: string;
    currency: string;
    priceBase: number;
    amount: number;
    priceInitial: number;
    discount: number;
    price: number;
    vat: number;
    priceInclVat: number;
    pricePlanId: string | null;
    createdAt: string;
    updatedAt: string;
  }[];
  createdAt: string;
  updatedAt: string;
  receiptNumber: string;
  billingEntity: Record<string, unknown> | null;
  billingTag: string | null;
  transactionType: string;
  productsPriceInitial: number;
  productsPriceDiscount: number;
  productsPrice: number;
  productsPriceVat: number;
  productsPriceInclVat: number;
  shippingPriceInitial: number;
  shippingPriceDiscount: number;
  shippingPrice: number;
  shippingPriceVat: number;
  shippingPriceInclVat: number;
  discount: number;
  discountVat: number;
  discountInclVat: number;
  totalInitial: number;
  total: number;
  totalVat: number;
  totalInclVat: number;
  isCalculated: boolean;
};

export type RecordedCarrierEvents = {
  recorded: number;
  repeated: number;
  /** Tracking numbers that are none of this carrier’s here. */
  unknown: string[];
};

export type Repair =
  | {
      /** hold: nothing new is handed over until release; what partners have, they go on making. */
      action: 'hold' | 'release';
      /** Kept with the operator’s name in the order’s log. */
      reason: string;
    }
  | {
      /** Sends print orders again that were refused, undeliverable or in error; a parked order is planned again. */
      action: 'retry';
      /** Default: every item that waits. */
      itemIds?: string[] | null | undefined;
      /** Kept with the operator’s name in the order’s log. */
      reason: string;
    }
  | {
      /** Cancels items for good, with a refund receipt; a partner that may still make them is told. */
      action: 'cancel';
      /** Default: every item that has not shipped. */
      itemIds?: string[] | null | undefined;
      /** Kept with the operator’s name in the order’s log. */
      reason: string;
    }
  | {
      /** A new print order, linked to the first. reroute: at another partner, in place of the one that has the item. reproduce: anew; units that wait for an operator are taken over, others are made in addition. */
      action: 'reroute' | 'reproduce';
      itemId: string;
      /** Default: all units that wait, else the whole item. */
      quantity?: number | null | undefined;
      /** Default: routing chooses. */
      partnerId?: string | null | undefined;
      /** Kept with the operator’s name in the order’s log. */
      reason: string;
    };

export type RepairedOrder = {
  id: string;
  orderReferenceId: string;
  fulfillmentStatus:
    | 'draft'
    | 'created'
    | 'uploading'
    | 'passed'
    | 'in_production'
    | 'printed'
    | 'shipped'
    | 'in_transit'
    | 'delivered'
    | 'returned'
    | 'on_hold'
    | 'failed'
    | 'canceled';
  /** Why an operator should look at it. */
  attention: (
    | 'not_received'
    | 'not_printed'
    | 'not_dispatched'
    | 'partner_error'
    | 'partner_refused'
    | 'partner_unreachable'
    | 'partner_cancelled'
    | 'short_shipped'
    | 'voided_label'
    | 'cancel_refused'
    | 'no_partner'
    | 'dispatch_failed'
    | 'out_of_step'
  )[];
};

export type RetrievedItem = {
  id: string;
  itemReferenceId: string;
  productUid: string;
  storeProductVariantId: null;
  storeProductId: null;
  files: {
    id: string;
    type: string;
    url: string;
    threadColors: string[];
    isVisible: boolean;
    fitMethod: string | null;
    fillMethod: string | null;
    mimeType: string | null;
    metadata: {
      key: string;
      value: string;
    }[];
  }[];
  processedFileUrl: string | null;
  quantity: number;
  options: unknown[];
  category: string;
  productCategoryUid: string;
  productTypeUid: string;
  productNameUid: string;
  productName: string;
  fulfillmentStatus:
    | 'draft'
    | 'created'
    | 'uploading'
    | 'passed'
    | 'in_production'
    | 'printed'
    | 'shipped'
    | 'in_transit'
    | 'delivered'
    | 'returned'
    | 'on_hold'
    | 'manual_handling'
    | 'failed'
    | 'cancelled';
  pageCount: number | null;
  printJobs: {
    id: string;
    printOrderId: string;
    partner: string;
    quantity: number;
    status: string;
    dispatchDate: string;
    reproducesPrintOrderId: string | null;
  }[];
  eventLog: {
    type: string;
    printOrderId: string | null;
    data: Record<string, unknown>;
    createdAt: string;
  }[];
  previews: {
    type: 'preview_default' | 'preview_thumbnail' | 'preview_flat';
    url: string;
  }[];
  designId: null;
  productFileMimeType: string | null;
  finalProductUid: string;
  metadata: {
    key: string;
    value: string;
  }[];
  retailPriceInclVat: number | null;
  attributes: {
    name: string;
    title: string;
    value: string;
    formattedValue: string;
  }[];
  itemReferenceName: string;
  isIgnored: boolean;
  price: number | null;
  customTrim: {
    widthMm: number;
    heightMm: number;
  } | null;
  fileUrl: string | null;
  dpi: number | null;
  appServices: unknown[];
  /** Bytes of all stored print files. */
  filesSize: number;
  productVariant: {
    name: string;
    value: string;
  }[];
};

export type RetrievedShippingAddress = {
  id: string;
  orderId: string;
  country: string;
  firstName: string;
  lastName: string;
  companyName: string | null;
  addressLine1: string;
  addressLine2: string | null;
  city: string;
  postCode: string;
  state: string | null;
  email: string;
  phone: string;
  isBusiness: boolean;
  federalTaxId: string | null;
  stateTaxId: string | null;
  registrationState: string | null;
};

export type ReturnAddress = {
  country: string;
  companyName?: string | null | undefined;
  addressLine1: string;
  addressLine2?: string | null | undefined;
  city: string;
  postCode: string;
  state?: string | null | undefined;
  email?: string | null | undefined;
  phone?: string | null | undefined;
};

export type RotatedKey = {
  keyId: string;
  /** Shown this once. */
  apiKey: string;
  /** Shown this once. */
  apiSecret: string;
  createdAt: string;
  previousKeysExpireAt: string;
};

export type Shipment = {
  id: string;
  orderProductId: null;
  shippingAddressId: string;
  promiseUid: string;
  packageCount: number;
  shipmentMethodUid: string;
  shipmentMethodName: string;
  isCheapest: boolean;
  minDeliveryDays: number;
  maxDeliveryDays: number;
  minDeliveryDate: string;
  maxDeliveryDate: string;
  initialMinDeliveryDate: string;
  initialMaxDeliveryDate: string;
  /** Grams, packaging included. */
  totalWeight: number;
  price: number;
  status: string;
  packages: {
    printOrderId: string;
    packageReferenceId: string | null;
    trackingCode: string;
    trackingUrl: string | null;
    shipmentMethodUid: string;
    shipmentMethodName: string;
    fulfillmentCountry: string;
    fulfillmentFacilityId: string;
  }[];
  fulfillmentCountry: string;
  fulfillmentFacilityId: string;
  retailShippingPriceInclVat: number | null;
  serviceType: string;
  speedType: string;
};

export type ShippingAddress = {
  country: string;
  firstName: string;
  lastName: string;
  companyName?: string | null | undefined;
  addressLine1: string;
  addressLine2?: string | null | undefined;
  city: string;
  postCode: string;
  state?: string | null | undefined;
  email: string;
  phone: string;
  isBusiness?: boolean | null | undefined;
  federalTaxId?: string | null | undefined;
  stateTaxId?: string | null | undefined;
  registrationState?: string | null | undefined;
};

export type ShippingError = {
  orderReferenceId: string;
  code: ErrorCode;
  message: string;
  /** The carrier’s own code and message, in its structure. */
  detail?: Record<string, unknown> | undefined;
  errors?: FieldError[] | undefined;
};

export type ShippingGroupAddress = {
  country: string;
  state?: string | null | undefined;
  city: string;
  postcode: string;
  /** Street and house number. */
  addressLine1: string;
  addressLine2?: string | null | undefined;
  addressLine3?: string | null | undefined;
  /** Required for addresses in Germany. */
  street?: string | null | undefined;
  /** Required for addresses in Germany. */
  houseNumber?: string | null | undefined;
  /** Required for addresses in Australia and New Zealand. */
  suburb?: string | null | undefined;
};

export type ShippingItem = {
  itemReferenceId?: string | null | undefined;
  description?: string | null | undefined;
  quantity?: number | null | undefined;
  /** Of one unit, in the order’s currency. */
  value?: number | null | undefined;
  /** Of one unit, in the order’s weight unit. */
  weight?: number | null | undefined;
  hsCode?: string | null | undefined;
  countryOfOrigin?: string | null | undefined;
};

export type ShippingMethodChoice = {
  /** A specific method; leave it empty to use a tier. */
  uid?: string | null | undefined;
  /** Takes only methods of this carrier, by name or uid. */
  carrier?: string | null | undefined;
  /** standard: the cheapest method. express: the fastest. */
  tier?: 'standard' | 'express' | '' | null | undefined;
};

export type ShippingOptions = {
  weightUnit?: 'g' | 'kg' | 'oz' | 'lb' | undefined;
  dimensionUnit?: 'mm' | 'cm' | 'in' | undefined;
  label?:
    | {
        /** Gateways may give their labels as PDF whatever is asked for. */
        format?: 'pdf' | 'zpl' | undefined;
        /** Sheet of PDF labels; A4 holds four labels of A6. ZPL labels are always 4x6 in. */
        size?: '4x6' | 'A6' | 'A4' | undefined;
      }
    | null
    | undefined;
};

export type ShippingOrder = {
  orderId: string;
  orderReferenceId: string;
  shippingMethod: {
    carrier: string;
    uid: string;
  };
  packages: {
    packageReferenceId: string;
    trackingNumber: string;
    trackingUrl: string;
    label: {
      fileName: string;
      /** Valid for seven days. */
      fileUrl: string;
      contentType: string;
    };
    documents?:
      | {
          documentType: string;
          fileName: string;
          /** Valid for seven days. */
          fileUrl: string;
          contentType: string;
        }[]
      | undefined;
    /** Estimated shipping cost. */
    totalCost?:
      | {
          value: number;
          currency: string;
        }
      | undefined;
  }[];
};

export type ShippingOrderRequest = {
  /** Your own reference of the order. */
  orderReferenceId: string;
  currency: string;
  options?: ShippingOptions | null | undefined;
  partner?:
    | {
        /** Brand shown on the label where the carrier allows it. */
        clientName?: string | null | undefined;
      }
    | null
    | undefined;
  receiver: ShippingReceiver;
  sender: ShippingSender;
  packages: ShippingPackage[];
  shippingMethod: ShippingMethodChoice;
};

export type ShippingPackage = {
  packageReferenceId: string;
  /** Packaging and items. */
  grossWeight: number;
  netWeight?: number | null | undefined;
  length: number;
  width: number;
  height: number;
  volumetricWeight?: number | null | undefined;
  /** For example rectangle or tube. */
  boxType?: string | null | undefined;
  /** Total value of the items in the order’s currency. Required for international shipping. */
  value?: number | null | undefined;
  /** Required for international shipping. */
  items?: ShippingItem[] | null | undefined;
};

export type ShippingQuoteRequest = {
  /** Your own reference of the order. */
  orderReferenceId: string;
  currency: string;
  options?: ShippingOptions | null | undefined;
  partner?:
    | {
        /** Brand shown on the label where the carrier allows it. */
        clientName?: string | null | undefined;
      }
    | null
    | undefined;
  receiver: ShippingReceiver;
  sender: ShippingSender;
  packages: ShippingPackage[];
};

export type ShippingQuotes = {
  items: {
    carrier: {
      name: string;
      uid: string;
    };
    method: {
      name: string;
      uid: string;
      /** Estimated price of all packages, in the request’s currency. */
      price: number;
      maxShipmentDays: number;
      minShipmentDays: number;
      deliveryPaddingDays?: number | undefined;
    };
  }[];
  count: number;
};

export type ShippingReceiver = {
  person: {
    firstName: string;
    lastName: string;
    company?: string | null | undefined;
    /** Required by some carriers. */
    email?: string | null | undefined;
    /** Required by some carriers. */
    phone?: string | null | undefined;
  };
  address: ShippingGroupAddress;
  customs?:
    | {
        vatNumber?: string | null | undefined;
      }
    | null
    | undefined;
};

export type ShippingSender = {
  person: {
    firstName?: string | null | undefined;
    lastName?: string | null | undefined;
    company: string;
    email?: string | null | undefined;
    phone?: string | null | undefined;
  };
  address: ShippingGroupAddress;
  /** Required for international shipping. */
  customs?:
    | {
        vatNumber?: string | null | undefined;
        iossNumber?: string | null | undefined;
        eoriNumber?: string | null | undefined;
        pcccNumber?: string | null | undefined;
        australianBusinessNumber?: string | null | undefined;
      }
    | null
    | undefined;
};

export type StatusPostback = {
  timestamp: string;
  orderId: string;
  orderItemId?: string | null | undefined;
  status: 'received' | 'error' | 'printed' | 'shipped' | 'cancelled';
  message?: string | null | undefined;
  trackingCode?: string | null | undefined;
  trackingLink?: string | null | undefined;
  items?:
    | {
        orderItemId: string;
        quantity?: number | null | undefined;
      }[]
    | null
    | undefined;
};

export type SubmitOrder = {
  orderReferenceId: string;
  currency: string;
  shippingAddress: ShippingAddress;
  items: OrderItem[];
  customerReferenceId?: string | null | undefined;
  retailCurrency?: string | null | undefined;
  retailShippingPriceInclVat?: number | null | undefined;
  shipmentMethodUid?: string | null | undefined;
  packagingInstructions?:
    | {
        packageItems: {
          orderItemReferenceId: string;
          quantity: number;
        }[];
        packingSlip?:
          | {
              fileUrl: string;
            }
          | null
          | undefined;
      }[]
    | null
    | undefined;
  metadata?:
    | {
        key: string;
        value: string;
      }[]
    | null
    | undefined;
  orderType?: 'order' | 'draft' | null | undefined;
  preventDuplicate?: boolean | null | undefined;
};

export type SubmittedOrder = {
  id: string;
  orderReferenceId: string;
  createdAt: string;
};

export type Tracking = {
  shortUid: string;
  trackingNumber: string;
  trackingUrl?: string | undefined;
  shipmentMethodUid?: string | undefined;
  shipmentMethodName?: string | undefined;
  carrierUid?: string | undefined;
  carrierName?: string | undefined;
  weightInGrams?: string | undefined;
  /** Newest first. */
  checkpoints: {
    /** Number of the status. */
    status: number;
    statusUid:
      | 'registered'
      | 'dispatched'
      | 'in_transit'
      | 'shipping_exception'
      | 'out_for_delivery'
      | 'failed_attempt'
      | 'available_for_pickup'
      | 'not_picked_up'
      | 'returned'
      | 'delivered';
    message: string;
    description?: string | undefined;
    location?: string | undefined;
    createdAt: string;
    /** YYYY-MM-DD, or empty. */
    expectedDeliveryDate?: string | undefined;
    /** The provider that vouches for the checkpoint. */
    signedBy: string;
  }[];
};

export type TrackingError = {
  trackingNumber: string;
  code: ErrorCode;
  message: string;
  details?: Record<string, unknown> | null | undefined;
};

export type UpdateShipment = {
  shipmentMethodUid?: string | null | undefined;
  shippingAddress?: ShippingAddress | null | undefined;
};

export type UpdatedShipment = {
  shippingAddress: RetrievedShippingAddress;
  /** Null until the order has been planned. */
  shipment: {
    shipmentMethodUid: string;
    shipmentMethodName: string;
    fulfillmentCountry: string;
    fulfillmentFacilityId: string;
    packageCount: number;
    initialMinDeliveryDate: string;
    initialMaxDeliveryDate: string;
    serviceType: string;
  } | null;
};

export type VariantValue = {
  variantOptionId: string;
  values: {
    value: string;
    attributeValues: {
      partModelId: string;
      attributes: Record<string, string>;
    }[];
    isDefault?: boolean | undefined;
  }[];
};

export type WebhookDelivery = {
  id: string;
  /** `webhook-id` of every attempt, and `id` in the body. */
  messageId: string;
  event: string;
  orderId: string | null;
  /** `dead`: given up; redeliver it once the endpoint works. */
  state: 'pending' | 'delivered' | 'dead';
  /** The latest 20, oldest first. */
  attempts: {
    at: string;
    durationMs: number;
    /** HTTP status; null when there was no answer. */
    status: number | null;
    error: string | null;
    /** The beginning of the answer’s body. */
    response: string | null;
  }[];
  nextAttemptAt: string | null;
  createdAt: string;
  settledAt: string | null;
};

export type WebhookEndpoint = {
  id: string;
  url: string;
  description: string;
  events: (
    | 'order_status_updated'
    | 'order_item_status_updated'
    | 'order_item_tracking_code_updated'
    | 'order_delivery_estimate_updated'
  )[];
  enabled: boolean;
  /** `gone`: the endpoint answered 410 and was disabled; enable it to be told again. */
  disabledReason: string | null;
  createdAt: string;
  updatedAt: string;
};

export interface Operations {
  /** Create a customer product */
  createCustomerProduct: {
    input: {
      body: {
        name: string;
        /** Left out: the client itself; every customer for an operator */
        customerIds?: string[] | undefined;
        productModelId: string;
        variantOptions: {
          /** Unique within the customer product */
          id: string;
          /** What orders call the option in productVariant */
          name: string;
          attributesMapping: {
            /** A part of the product model, or the product model itself */
            partModelId: string;
            attributeIds: string[];
          }[];
        }[];
        partQuantities?:
          | {
              partModelId: string;
              quantity: number;
            }[]
          | undefined;
      };
    };
    answer: CustomerProduct;
  };
  /** Change a customer product */
  updateCustomerProduct: {
    input: {
      params: {
        id: string;
      };
      body?:
        | {
            name?: string | undefined;
            /** Customers that may order it; ["*"] for all */
            customerIds?: string[] | undefined;
          }
        | undefined;
    };
    answer: CustomerProduct;
  };
  /** List customer products */
  listCustomerProducts: {
    input: {
      query?:
        | {
            customerProductIds?: string | undefined;
            customerIds?: string | undefined;
            productModelIds?: string | undefined;
            search?: string | undefined;
            offset?: string | undefined;
            limit?: string | undefined;
          }
        | undefined;
    };
    answer: {
      customerProducts: ListedCustomerProduct[];
      meta: {
        offset: number;
        limit: number;
        total: number;
        /** Given for a search with more than 1,000 matches: the total is estimated */
        totalIsEstimate?: true | undefined;
      };
    };
  };
  /** Add values to variant options */
  addVariantValues: {
    input: {
      params: {
        customerProductId: string;
      };
      body: VariantValue[];
    };
    answer: VariantValue[];
  };
  /** Read the variant values of a customer product */
  getVariantValues: {
    input: {
      params: {
        customerProductId: string;
      };
    };
    answer: VariantValue[];
  };
  /** Create or change an attribute */
  putAttribute: {
    input: {
      params: {
        attributeId: string;
      };
      body: {
        description: string;
        properties?:
          | {
              id: string;
              description?: string | undefined;
              type?: string | undefined;
            }[]
          | undefined;
      };
    };
    answer: {
      description: string;
      properties?:
        | {
            id: string;
            description?: string | undefined;
            type?: string | undefined;
          }[]
        | undefined;
      id: string;
    };
  };
  /** List the values of an attribute */
  listAttributeValues: {
    input: {
      params: {
        attributeId: string;
      };
    };
    answer: AttributeValue[];
  };
  /** Add values to an attribute */
  addAttributeValues: {
    input: {
      params: {
        attributeId: string;
      };
      body: {
        id: string;
        description?: string | null | undefined;
        properties?: Record<string, string | number | string[]> | undefined;
        /** Takes any input, e.g. a page count */
        isCustom?: boolean | undefined;
        /** Selected when the attribute comes into a new product model */
        isDefault?: boolean | undefined;
      }[];
    };
    answer: AttributeValue[];
  };
  /** Replace values of an attribute by id */
  replaceAttributeValues: {
    input: {
      params: {
        attributeId: string;
      };
      body: {
        id: string;
        description?: string | null | undefined;
        properties?: Record<string, string | number | string[]> | undefined;
        /** Takes any input, e.g. a page count */
        isCustom?: boolean | undefined;
        /** Selected when the attribute comes into a new product model */
        isDefault?: boolean | undefined;
      }[];
    };
    answer: AttributeValue[];
  };
  /** Replace one value of an attribute */
  replaceAttributeValue: {
    input: {
      params: {
        attributeId: string;
        valueId: string;
      };
      body?:
        | {
            description?: string | null | undefined;
            properties?: Record<string, string | number | string[]> | undefined;
            /** Takes any input, e.g. a page count */
            isCustom?: boolean | undefined;
            /** Selected when the attribute comes into a new product model */
            isDefault?: boolean | undefined;
          }
        | undefined;
    };
    answer: AttributeValue;
  };
  /** List product models */
  listProductModels: {
    input: {
      query?:
        | {
            modelIds?: string | undefined;
            state?: 'draft' | 'active' | 'inactive' | undefined;
            offset?: string | undefined;
            limit?: string | undefined;
          }
        | undefined;
    };
    answer: {
      productModels: ProductModel[];
    };
  };
  /** Create a product model */
  createProductModel: {
    input: {
      body: {
        /** Left out: made by the service */
        id?: string | undefined;
        name: string;
        description?: string | undefined;
        previewURL?: '' | string | undefined;
        categoryId: string;
        /** Such as flat_product_pf_{paper_format}_{orientation} */
        productUidTemplate: string;
        /** Left out: all values of the template’s attributes */
        attributes?:
          | {
              id: string;
              /** Values on offer; left out: all, later ones too */
              valueIds?: string[] | null | undefined;
              /** Left out: the attribute’s own default */
              defaultValueId?: string | null | undefined;
            }[]
          | undefined;
        parts?:
          | {
              modelId: string;
              /** Left out: the modelId */
              id?: string | undefined;
              name: string;
              quantity?: number | undefined;
              /** Left out: its place in the list */
              order?: number | undefined;
            }[]
          | undefined;
        state?: 'draft' | 'active' | undefined;
        production?:
          | {
              kind?: 'print' | 'apparel' | 'mounted' | undefined;
              modelUid?: string | undefined;
              productTypeUid?: string | undefined;
              productNameUid?: string | undefined;
              partType?: 'print' | 'stock' | 'service' | undefined;
              workflowEnabled?: boolean | undefined;
              fileTypes?:
                | (
                    | 'default'
                    | 'front'
                    | 'back'
                    | 'cover'
                    | 'inside'
                    | 'neck-inner'
                    | 'neck-outer'
                    | 'sleeve-left'
                    | 'sleeve-right'
                    | 'chest-left-embroidery'
                    | 'chest-center-embroidery'
                    | 'chest-large-embroidery'
                    | 'sleeve-left-embroidery'
                    | 'sleeve-right-embroidery'
                    | 'wrist-left-embroidery'
                    | 'wrist-right-embroidery'
                  )[]
                | undefined;
              sizeAttribute?: string | undefined;
              orientationAttribute?: string | undefined;
              paperAttribute?: string | undefined;
              printAreas?:
                | {
                    fileType:
                      | 'default'
                      | 'front'
                      | 'back'
                      | 'cover'
                      | 'inside'
                      | 'neck-inner'
                      | 'neck-outer'
                      | 'sleeve-left'
                      | 'sleeve-right'
                      | 'chest-left-embroidery'
                      | 'chest-center-embroidery'
                      | 'chest-large-embroidery'
                      | 'sleeve-left-embroidery'
                      | 'sleeve-right-embroidery'
                      | 'wrist-left-embroidery'
                      | 'wrist-right-embroidery';
                    required?: boolean | undefined;
                    size?:
                      | {
                          widthMm: number;
                          heightMm: number;
                        }
                      | undefined;
                    when?:
                      | {
                          attributeId: string;
                          valueIds: string[];
                        }
                      | undefined;
                  }[]
                | undefined;
              pages?:
                | {
                    attributeId: string;
                    multipleOf?: number | undefined;
                    included?: number | undefined;
                  }
                | undefined;
              weightGrams?: number | undefined;
              addedGrams?: Record<string, Record<string, number>> | undefined;
              packed?:
                | {
                    form: 'flat';
                    marginMm: number;
                    thicknessMm: number;
                  }
                | {
                    form: 'tube';
                    diameterMm: number;
                    marginMm: number;
                  }
                | {
                    form: 'box';
                    lengthMm: number;
                    widthMm: number;
                    heightMm: number;
                  }
                | undefined;
              unitsPerPackage?: number | undefined;
              packagingWeightGrams?: number | undefined;
              hsCode?: string | undefined;
              priceList?:
                | Record<
                    string,
                    {
                      from: number;
                      unitMinor: number;
                    }[]
                  >
                | undefined;
              priceFactors?: Record<string, Record<string, string>> | undefined;
              pagePrices?: Record<string, number> | undefined;
              partnerSku?: string | undefined;
              unitPriceMinorEur?: number | undefined;
            }
          | undefined;
      };
    };
    answer: ProductModel;
  };
  /** Change a product model */
  updateProductModel: {
    input: {
      params: {
        id: string;
      };
      body?:
        | {
            name?: string | undefined;
            description?: string | undefined;
            previewURL?: '' | string | undefined;
            categoryId?: string | undefined;
            /** Only while a draft */
            productUidTemplate?: string | undefined;
            attributes?:
              | {
                  id: string;
                  /** Values on offer; left out: all, later ones too */
                  valueIds?: string[] | null | undefined;
                  /** Left out: the attribute’s own default */
                  defaultValueId?: string | null | undefined;
                }[]
              | undefined;
            /** Only while a draft */
            parts?:
              | {
                  modelId: string;
                  /** Left out: the modelId */
                  id?: string | undefined;
                  name: string;
                  quantity?: number | undefined;
                  /** Left out: its place in the list */
                  order?: number | undefined;
                }[]
              | undefined;
            state?: 'draft' | 'active' | 'inactive' | undefined;
            /** Replaces the former one */
            production?:
              | {
                  kind?: 'print' | 'apparel' | 'mounted' | undefined;
                  modelUid?: string | undefined;
                  productTypeUid?: string | undefined;
                  productNameUid?: string | undefined;
                  partType?: 'print' | 'stock' | 'service' | undefined;
                  workflowEnabled?: boolean | undefined;
                  fileTypes?:
                    | (
                        | 'default'
                        | 'front'
                        | 'back'
                        | 'cover'
                        | 'inside'
                        | 'neck-inner'
                        | 'neck-outer'
                        | 'sleeve-left'
                        | 'sleeve-right'
                        | 'chest-left-embroidery'
                        | 'chest-center-embroidery'
                        | 'chest-large-embroidery'
                        | 'sleeve-left-embroidery'
                        | 'sleeve-right-embroidery'
                        | 'wrist-left-embroidery'
                        | 'wrist-right-embroidery'
                      )[]
                    | undefined;
                  sizeAttribute?: string | undefined;
                  orientationAttribute?: string | undefined;
                  paperAttribute?: string | undefined;
                  printAreas?:
                    | {
                        fileType:
                          | 'default'
                          | 'front'
                          | 'back'
                          | 'cover'
                          | 'inside'
                          | 'neck-inner'
                          | 'neck-outer'
                          | 'sleeve-left'
                          | 'sleeve-right'
                          | 'chest-left-embroidery'
                          | 'chest-center-embroidery'
                          | 'chest-large-embroidery'
                          | 'sleeve-left-embroidery'
                          | 'sleeve-right-embroidery'
                          | 'wrist-left-embroidery'
                          | 'wrist-right-embroidery';
                        required?: boolean | undefined;
                        size?:
                          | {
                              widthMm: number;
                              heightMm: number;
                            }
                          | undefined;
                        when?:
                          | {
                              attributeId: string;
                              valueIds: string[];
                            }
                          | undefined;
                      }[]
                    | undefined;
                  pages?:
                    | {
                        attributeId: string;
                        multipleOf?: number | undefined;
                        included?: number | undefined;
                      }
                    | undefined;
                  weightGrams?: number | undefined;
                  addedGrams?: Record<string, Record<string, number>> | undefined;
                  packed?:
                    | {
                        form: 'flat';
                        marginMm: number;
                        thicknessMm: number;
                      }
                    | {
                        form: 'tube';
                        diameterMm: number;
                        marginMm: number;
                      }
                    | {
                        form: 'box';
                        lengthMm: number;
                        widthMm: number;
                        heightMm: number;
                      }
                    | undefined;
                  unitsPerPackage?: number | undefined;
                  packagingWeightGrams?: number | undefined;
                  hsCode?: string | undefined;
                  priceList?:
                    | Record<
                        string,
                        {
                          from: number;
                          unitMinor: number;
                        }[]
                      >
                    | undefined;
                  priceFactors?: Record<string, Record<string, string>> | undefined;
                  pagePrices?: Record<string, number> | undefined;
                  partnerSku?: string | undefined;
                  unitPriceMinorEur?: number | undefined;
                }
              | undefined;
          }
        | undefined;
    };
    answer: ProductModel;
  };
  /** Submit an order */
  submitOrder: {
    input: {
      body: SubmitOrder;
    };
    answer: SubmittedOrder;
  };
  /** Retrieve an order */
  getOrder: {
    input: {
      params: {
        orderId: string;
      };
    };
    answer: Order;
  };
  /** Edit a draft, or make it an order */
  patchDraft: {
    input: {
      params: {
        orderId: string;
      };
      body?: PatchDraft | undefined;
    };
    answer: Order;
  };
  /** Delete a draft */
  deleteDraft: {
    input: {
      params: {
        orderId: string;
      };
    };
    answer: {
      id: string;
      deleted: true;
    };
  };
  /** Change shipping method or address */
  updateShipment: {
    input: {
      params: {
        orderId: string;
      };
      body: UpdateShipment;
    };
    answer: UpdatedShipment;
  };
  /** Cancel an order */
  cancelOrder: {
    input: {
      params: {
        orderId: string;
      };
      body?: CancelOrder | undefined;
    };
    answer: {
      id: string;
      orderReferenceId: string;
      fulfillmentStatus:
        | 'draft'
        | 'created'
        | 'uploading'
        | 'passed'
        | 'in_production'
        | 'printed'
        | 'shipped'
        | 'in_transit'
        | 'delivered'
        | 'returned'
        | 'on_hold'
        | 'failed'
        | 'canceled';
    };
  };
  /** Search orders, newest first */
  searchOrders: {
    input: {
      body?: OrderSearch | undefined;
    };
    answer: OrderPage;
  };
  /** Quote an order */
  quoteOrder: {
    input: {
      body: QuoteOrder;
    };
    answer: OrderQuote;
  };
  /** Register the addresses a print partner is called at */
  subscribePartner: {
    input: {
      body: {
        orderSubmitUrl: string;
        /** Default: orderSubmitUrl. */
        apparelOrderSubmitUrl?: string | null | undefined;
        /** Without it, cancellations are agreed with the partner in person. */
        orderCancelUrl?: string | null | undefined;
        /** Asked for stock every 10 minutes. */
        inventoryUrl?: string | null | undefined;
        /** Version of print orders; default 1.1, and 1.0 for apparel. */
        version?: '1.0' | '1.1' | null | undefined;
      };
    };
    answer: {
      message: string;
      /** `whsec_` and base64; shown once. */
      signingSecret: string;
    };
  };
  /** Report the status of a print order or of one item */
  postOrderStatus: {
    input: {
      body: StatusPostback;
    };
    answer: {
      message: string;
    };
  };
  /** Ask for the shipping documents of a print order */
  dispatchOrder: {
    input: {
      body: DispatchRequest;
    };
    answer: DispatchAnswer;
  };
  /** Buy shipping labels for packages */
  createShippingOrder: {
    input: {
      body: ShippingOrderRequest;
    };
    answer: ShippingOrder;
  };
  /** List the shipping methods for packages and an address */
  quoteShippingMethods: {
    input: {
      body: ShippingQuoteRequest;
    };
    answer: ShippingQuotes;
  };
  /** Read where a package is */
  getTracking: {
    input: {
      params: {
        trackingNumber: string;
      };
    };
    answer: Tracking;
  };
  /** Report tracking events as a carrier */
  receiveCarrierEvents: {
    input: {
      params: {
        carrierUid: string;
      };
      body: CarrierEvents;
    };
    answer: RecordedCarrierEvents;
  };
  /** Report stock levels */
  reportStockStatus: {
    input: {
      body: {
        version?: string | undefined;
        items: {
          SKU: string;
          status: 'in-stock' | 'out-of-stock';
          /** Units on the shelf; in stock with 0 is out of stock. */
          amount?: number | null | undefined;
          /** Day on which more comes in. */
          replenishmentDate?: string | '' | null | undefined;
        }[];
      };
    };
    answer: {
      message: string;
    };
  };
  /** Add an endpoint for notifications */
  createWebhook: {
    input: {
      body: {
        url: string;
        description?: string | null | undefined;
        events?:
          | (
              | 'order_status_updated'
              | 'order_item_status_updated'
              | 'order_item_tracking_code_updated'
              | 'order_delivery_estimate_updated'
            )[]
          | null
          | undefined;
        enabled?: boolean | null | undefined;
      };
    };
    answer: {
      id: string;
      url: string;
      description: string;
      events: (
        | 'order_status_updated'
        | 'order_item_status_updated'
        | 'order_item_tracking_code_updated'
        | 'order_delivery_estimate_updated'
      )[];
      enabled: boolean;
      /** `gone`: the endpoint answered 410 and was disabled; enable it to be told again. */
      disabledReason: string | null;
      createdAt: string;
      updatedAt: string;
      /** `whsec_` and base64; verifies `webhook-signature`. Shown once. */
      secret: string;
    };
  };
  /** List endpoints for notifications */
  listWebhooks: {
    input: Record<never, never>;
    answer: {
      webhooks: WebhookEndpoint[];
    };
  };
  /** Read an endpoint for notifications */
  getWebhook: {
    input: {
      params: {
        webhookId: string;
      };
    };
    answer: WebhookEndpoint;
  };
  /** Change, enable or disable an endpoint */
  changeWebhook: {
    input: {
      params: {
        webhookId: string;
      };
      body?:
        | {
            url?: string | undefined;
            description?: string | undefined;
            /** Events to be told of; all of them when left out. */
            events?:
              | (
                  | 'order_status_updated'
                  | 'order_item_status_updated'
                  | 'order_item_tracking_code_updated'
                  | 'order_delivery_estimate_updated'
                )[]
              | undefined;
            enabled?: boolean | undefined;
          }
        | undefined;
    };
    answer: WebhookEndpoint;
  };
  /** Delete an endpoint with its log and what waits for it */
  deleteWebhook: {
    input: {
      params: {
        webhookId: string;
      };
    };
    answer: {
      id: string;
    };
  };
  /** Give an endpoint a new signing secret */
  rotateWebhookSecret: {
    input: {
      params: {
        webhookId: string;
      };
      body?:
        | {
            /** Default: a day. */
            overlapSeconds?: number | null | undefined;
          }
        | undefined;
    };
    answer: {
      /** `whsec_` and base64; verifies `webhook-signature`. Shown once. */
      secret: string;
      previousSecretValidUntil: string;
    };
  };
  /** Send a test event to an endpoint */
  testWebhook: {
    input: {
      params: {
        webhookId: string;
      };
    };
    answer: WebhookDelivery;
  };
  /** List deliveries to an endpoint, newest first */
  listWebhookDeliveries: {
    input: {
      params: {
        webhookId: string;
      };
      query?:
        | {
            state?: 'pending' | 'delivered' | 'dead' | undefined;
            event?:
              | 'order_status_updated'
              | 'order_item_status_updated'
              | 'order_item_tracking_code_updated'
              | 'order_delivery_estimate_updated'
              | 'endpoint_test'
              | undefined;
            orderId?: string | undefined;
            limit?: number | undefined;
            cursor?: string | undefined;
          }
        | undefined;
    };
    answer: {
      deliveries: WebhookDelivery[];
      nextCursor: string | null;
    };
  };
  /** Read a delivery with its body */
  getWebhookDelivery: {
    input: {
      params: {
        webhookId: string;
        deliveryId: string;
      };
    };
    answer: {
      id: string;
      /** `webhook-id` of every attempt, and `id` in the body. */
      messageId: string;
      event: string;
      orderId: string | null;
      /** `dead`: given up; redeliver it once the endpoint works. */
      state: 'pending' | 'delivered' | 'dead';
      /** The latest 20, oldest first. */
      attempts: {
        at: string;
        durationMs: number;
        /** HTTP status; null when there was no answer. */
        status: number | null;
        error: string | null;
        /** The beginning of the answer’s body. */
        response: string | null;
      }[];
      nextAttemptAt: string | null;
      createdAt: string;
      settledAt: string | null;
      /** As sent: what the signature covers. */
      body: string;
    };
  };
  /** Send a delivered or dead notification again */
  redeliverWebhookDelivery: {
    input: {
      params: {
        webhookId: string;
        deliveryId: string;
      };
    };
    answer: WebhookDelivery;
  };
  /** Send every dead letter of an endpoint again */
  redeliverDeadWebhookDeliveries: {
    input: {
      params: {
        webhookId: string;
      };
    };
    answer: {
      redelivered: number;
    };
  };
  /** Set a client up */
  createConnector: {
    input: {
      body: NewConnector;
    };
    answer: CreatedConnector;
  };
  /** List clients, newest first */
  listConnectors: {
    input: {
      query?:
        | {
            limit?: number | undefined;
            cursor?: string | undefined;
          }
        | undefined;
    };
    answer: {
      connectors: Connector[];
      /** Give it as cursor for the next page; null on the last. */
      nextCursor: string | null;
    };
  };
  /** Read a client and its keys */
  getConnector: {
    input: {
      params: {
        connectorId: string;
      };
    };
    answer: Connector;
  };
  /** Change a client’s billing entity, return address or IOSS number */
  changeConnector: {
    input: {
      params: {
        connectorId: string;
      };
      body?: ConnectorChange | undefined;
    };
    answer: Connector;
  };
  /** Issue a new key */
  rotateConnectorKey: {
    input: {
      params: {
        connectorId: string;
      };
      body?: KeyRotation | undefined;
    };
    answer: RotatedKey;
  };
  /** End a key */
  revokeConnectorKey: {
    input: {
      params: {
        connectorId: string;
        keyId: string;
      };
    };
    answer: {
      id: string;
      revoked: true;
    };
  };
  /** List print partners */
  listPartners: {
    input: Record<never, never>;
    answer: {
      partners: {
        id: string;
        /** Names the partner for good. */
        uid: string;
        name: string;
        /** Currency of its prices and procurement orders. */
        currency: string;
        /** Whether routing may choose it. */
        enabled?: boolean | undefined;
        printHouseUid?: string | null | undefined;
        /** Where its parcels are sent from; its country is where it fulfils. */
        senderAddress: {
          firstName: string;
          lastName: string;
          company: string;
          addressLine1: string;
          addressLine2?: string | undefined;
          addressLine3?: string | undefined;
          /** Addresses in Germany. */
          street?: string | undefined;
          /** Addresses in Germany. */
          houseNumber?: string | undefined;
          /** Addresses in Australia and New Zealand. */
          suburb?: string | undefined;
          city: string;
          postcode: string;
          state?: string | undefined;
          country: string;
          email: string;
          phone?: string | undefined;
          /** Printed on customs declarations. */
          taxIds?:
            | {
                vatNumber?: string | undefined;
                iossNumber?: string | undefined;
                eoriNumber?: string | undefined;
                pcccNumber?: string | undefined;
                australianBusinessNumber?: string | undefined;
              }
            | undefined;
        };
        capabilities: {
          productKinds: ('print' | 'apparel' | 'mounted')[];
          /** Product models the partner makes, by model uid; parts it prints and services it gives count too. */
          models: Record<
            string,
            {
              /** Price of one unit in minor units of the partner’s currency. */
              unitPriceMinor: number;
              /** Working days from the start of production to dispatch. */
              leadDays: number;
            }
          >;
          /** Countries it ships to; `*` is all. */
          countriesServed: ('*' | string)[];
          calendar: {
            timeZone: string;
            workingDays: number[];
            /** Orders handed over before this time of day, in the time zone, start on the same day. */
            cutOff: string;
            /** Country, and state where holidays differ, whose public holidays are not worked. */
            holidays: {
              country: string;
              state?: string | undefined;
            };
            /** Further days that are not worked. */
            closedDates?: string[] | undefined;
          };
          /** Units it can produce on a working day. */
          capacityPerDay: number;
        };
        country: string;
        stateProvince: string | null;
        /** Null until the partner has subscribed. */
        subscription: {
          orderSubmitUrl: string;
          apparelOrderSubmitUrl: string | null;
          orderCancelUrl: string | null;
          inventoryUrl: string | null;
          version: '1.0' | '1.1' | null;
          subscribedAt: string;
        } | null;
        createdAt: string;
      }[];
    };
  };
  /** Set a print partner up */
  createPartner: {
    input: {
      body: {
        /** Names the partner for good. */
        uid: string;
        name: string;
        /** Currency of its prices and procurement orders. */
        currency: string;
        /** Whether routing may choose it. */
        enabled?: boolean | undefined;
        printHouseUid?: string | null | undefined;
        /** Where its parcels are sent from; its country is where it fulfils. */
        senderAddress: {
          firstName: string;
          lastName: string;
          company: string;
          addressLine1: string;
          addressLine2?: string | undefined;
          addressLine3?: string | undefined;
          /** Addresses in Germany. */
          street?: string | undefined;
          /** Addresses in Germany. */
          houseNumber?: string | undefined;
          /** Addresses in Australia and New Zealand. */
          suburb?: string | undefined;
          city: string;
          postcode: string;
          state?: string | undefined;
          country: string;
          email: string;
          phone?: string | undefined;
          /** Printed on customs declarations. */
          taxIds?:
            | {
                vatNumber?: string | undefined;
                iossNumber?: string | undefined;
                eoriNumber?: string | undefined;
                pcccNumber?: string | undefined;
                australianBusinessNumber?: string | undefined;
              }
            | undefined;
        };
        capabilities: {
          productKinds: ('print' | 'apparel' | 'mounted')[];
          /** Product models the partner makes, by model uid; parts it prints and services it gives count too. */
          models: Record<
            string,
            {
              /** Price of one unit in minor units of the partner’s currency. */
              unitPriceMinor: number;
              /** Working days from the start of production to dispatch. */
              leadDays: number;
            }
          >;
          /** Countries it ships to; `*` is all. */
          countriesServed: ('*' | string)[];
          calendar: {
            timeZone: string;
            workingDays: number[];
            /** Orders handed over before this time of day, in the time zone, start on the same day. */
            cutOff: string;
            /** Country, and state where holidays differ, whose public holidays are not worked. */
            holidays: {
              country: string;
              state?: string | undefined;
            };
            /** Further days that are not worked. */
            closedDates?: string[] | undefined;
          };
          /** Units it can produce on a working day. */
          capacityPerDay: number;
        };
      };
    };
    answer: {
      id: string;
      /** Names the partner for good. */
      uid: string;
      name: string;
      /** Currency of its prices and procurement orders. */
      currency: string;
      /** Whether routing may choose it. */
      enabled?: boolean | undefined;
      printHouseUid?: string | null | undefined;
      /** Where its parcels are sent from; its country is where it fulfils. */
      senderAddress: {
        firstName: string;
        lastName: string;
        company: string;
        addressLine1: string;
        addressLine2?: string | undefined;
        addressLine3?: string | undefined;
        /** Addresses in Germany. */
        street?: string | undefined;
        /** Addresses in Germany. */
        houseNumber?: string | undefined;
        /** Addresses in Australia and New Zealand. */
        suburb?: string | undefined;
        city: string;
        postcode: string;
        state?: string | undefined;
        country: string;
        email: string;
        phone?: string | undefined;
        /** Printed on customs declarations. */
        taxIds?:
          | {
              vatNumber?: string | undefined;
              iossNumber?: string | undefined;
              eoriNumber?: string | undefined;
              pcccNumber?: string | undefined;
              australianBusinessNumber?: string | undefined;
            }
          | undefined;
      };
      capabilities: {
        productKinds: ('print' | 'apparel' | 'mounted')[];
        /** Product models the partner makes, by model uid; parts it prints and services it gives count too. */
        models: Record<
          string,
          {
            /** Price of one unit in minor units of the partner’s currency. */
            unitPriceMinor: number;
            /** Working days from the start of production to dispatch. */
            leadDays: number;
          }
        >;
        /** Countries it ships to; `*` is all. */
        countriesServed: ('*' | string)[];
        calendar: {
          timeZone: string;
          workingDays: number[];
          /** Orders handed over before this time of day, in the time zone, start on the same day. */
          cutOff: string;
          /** Country, and state where holidays differ, whose public holidays are not worked. */
          holidays: {
            country: string;
            state?: string | undefined;
          };
          /** Further days that are not worked. */
          closedDates?: string[] | undefined;
        };
        /** Units it can produce on a working day. */
        capacityPerDay: number;
      };
      country: string;
      stateProvince: string | null;
      /** Null until the partner has subscribed. */
      subscription: {
        orderSubmitUrl: string;
        apparelOrderSubmitUrl: string | null;
        orderCancelUrl: string | null;
        inventoryUrl: string | null;
        version: '1.0' | '1.1' | null;
        subscribedAt: string;
      } | null;
      createdAt: string;
      apiKey: string;
    };
  };
  /** Read a print partner */
  getPartner: {
    input: {
      params: {
        partnerId: string;
      };
    };
    answer: {
      id: string;
      /** Names the partner for good. */
      uid: string;
      name: string;
      /** Currency of its prices and procurement orders. */
      currency: string;
      /** Whether routing may choose it. */
      enabled?: boolean | undefined;
      printHouseUid?: string | null | undefined;
      /** Where its parcels are sent from; its country is where it fulfils. */
      senderAddress: {
        firstName: string;
        lastName: string;
        company: string;
        addressLine1: string;
        addressLine2?: string | undefined;
        addressLine3?: string | undefined;
        /** Addresses in Germany. */
        street?: string | undefined;
        /** Addresses in Germany. */
        houseNumber?: string | undefined;
        /** Addresses in Australia and New Zealand. */
        suburb?: string | undefined;
        city: string;
        postcode: string;
        state?: string | undefined;
        country: string;
        email: string;
        phone?: string | undefined;
        /** Printed on customs declarations. */
        taxIds?:
          | {
              vatNumber?: string | undefined;
              iossNumber?: string | undefined;
              eoriNumber?: string | undefined;
              pcccNumber?: string | undefined;
              australianBusinessNumber?: string | undefined;
            }
          | undefined;
      };
      capabilities: {
        productKinds: ('print' | 'apparel' | 'mounted')[];
        /** Product models the partner makes, by model uid; parts it prints and services it gives count too. */
        models: Record<
          string,
          {
            /** Price of one unit in minor units of the partner’s currency. */
            unitPriceMinor: number;
            /** Working days from the start of production to dispatch. */
            leadDays: number;
          }
        >;
        /** Countries it ships to; `*` is all. */
        countriesServed: ('*' | string)[];
        calendar: {
          timeZone: string;
          workingDays: number[];
          /** Orders handed over before this time of day, in the time zone, start on the same day. */
          cutOff: string;
          /** Country, and state where holidays differ, whose public holidays are not worked. */
          holidays: {
            country: string;
            state?: string | undefined;
          };
          /** Further days that are not worked. */
          closedDates?: string[] | undefined;
        };
        /** Units it can produce on a working day. */
        capacityPerDay: number;
      };
      country: string;
      stateProvince: string | null;
      /** Null until the partner has subscribed. */
      subscription: {
        orderSubmitUrl: string;
        apparelOrderSubmitUrl: string | null;
        orderCancelUrl: string | null;
        inventoryUrl: string | null;
        version: '1.0' | '1.1' | null;
        subscribedAt: string;
      } | null;
      createdAt: string;
    };
  };
  /** Change a print partner */
  changePartner: {
    input: {
      params: {
        partnerId: string;
      };
      body?:
        | {
            name?: string | undefined;
            enabled?: boolean | undefined;
            printHouseUid?: string | null | undefined;
            senderAddress?:
              | {
                  firstName: string;
                  lastName: string;
                  company: string;
                  addressLine1: string;
                  addressLine2?: string | undefined;
                  addressLine3?: string | undefined;
                  /** Addresses in Germany. */
                  street?: string | undefined;
                  /** Addresses in Germany. */
                  houseNumber?: string | undefined;
                  /** Addresses in Australia and New Zealand. */
                  suburb?: string | undefined;
                  city: string;
                  postcode: string;
                  state?: string | undefined;
                  country: string;
                  email: string;
                  phone?: string | undefined;
                  /** Printed on customs declarations. */
                  taxIds?:
                    | {
                        vatNumber?: string | undefined;
                        iossNumber?: string | undefined;
                        eoriNumber?: string | undefined;
                        pcccNumber?: string | undefined;
                        australianBusinessNumber?: string | undefined;
                      }
                    | undefined;
                }
              | undefined;
            /** Each capability that is given is replaced as a whole. */
            capabilities?:
              | {
                  productKinds?: ('print' | 'apparel' | 'mounted')[] | undefined;
                  /** Product models the partner makes, by model uid; parts it prints and services it gives count too. */
                  models?:
                    | Record<
                        string,
                        {
                          /** Price of one unit in minor units of the partner’s currency. */
                          unitPriceMinor: number;
                          /** Working days from the start of production to dispatch. */
                          leadDays: number;
                        }
                      >
                    | undefined;
                  /** Countries it ships to; `*` is all. */
                  countriesServed?: ('*' | string)[] | undefined;
                  calendar?:
                    | {
                        timeZone: string;
                        workingDays: number[];
                        /** Orders handed over before this time of day, in the time zone, start on the same day. */
                        cutOff: string;
                        /** Country, and state where holidays differ, whose public holidays are not worked. */
                        holidays: {
                          country: string;
                          state?: string | undefined;
                        };
                        /** Further days that are not worked. */
                        closedDates?: string[] | undefined;
                      }
                    | undefined;
                  /** Units it can produce on a working day. */
                  capacityPerDay?: number | undefined;
                }
              | undefined;
          }
        | undefined;
    };
    answer: {
      id: string;
      /** Names the partner for good. */
      uid: string;
      name: string;
      /** Currency of its prices and procurement orders. */
      currency: string;
      /** Whether routing may choose it. */
      enabled?: boolean | undefined;
      printHouseUid?: string | null | undefined;
      /** Where its parcels are sent from; its country is where it fulfils. */
      senderAddress: {
        firstName: string;
        lastName: string;
        company: string;
        addressLine1: string;
        addressLine2?: string | undefined;
        addressLine3?: string | undefined;
        /** Addresses in Germany. */
        street?: string | undefined;
        /** Addresses in Germany. */
        houseNumber?: string | undefined;
        /** Addresses in Australia and New Zealand. */
        suburb?: string | undefined;
        city: string;
        postcode: string;
        state?: string | undefined;
        country: string;
        email: string;
        phone?: string | undefined;
        /** Printed on customs declarations. */
        taxIds?:
          | {
              vatNumber?: string | undefined;
              iossNumber?: string | undefined;
              eoriNumber?: string | undefined;
              pcccNumber?: string | undefined;
              australianBusinessNumber?: string | undefined;
            }
          | undefined;
      };
      capabilities: {
        productKinds: ('print' | 'apparel' | 'mounted')[];
        /** Product models the partner makes, by model uid; parts it prints and services it gives count too. */
        models: Record<
          string,
          {
            /** Price of one unit in minor units of the partner’s currency. */
            unitPriceMinor: number;
            /** Working days from the start of production to dispatch. */
            leadDays: number;
          }
        >;
        /** Countries it ships to; `*` is all. */
        countriesServed: ('*' | string)[];
        calendar: {
          timeZone: string;
          workingDays: number[];
          /** Orders handed over before this time of day, in the time zone, start on the same day. */
          cutOff: string;
          /** Country, and state where holidays differ, whose public holidays are not worked. */
          holidays: {
            country: string;
            state?: string | undefined;
          };
          /** Further days that are not worked. */
          closedDates?: string[] | undefined;
        };
        /** Units it can produce on a working day. */
        capacityPerDay: number;
      };
      country: string;
      stateProvince: string | null;
      /** Null until the partner has subscribed. */
      subscription: {
        orderSubmitUrl: string;
        apparelOrderSubmitUrl: string | null;
        orderCancelUrl: string | null;
        inventoryUrl: string | null;
        version: '1.0' | '1.1' | null;
        subscribedAt: string;
      } | null;
      createdAt: string;
    };
  };
  /** Give a print partner a new key */
  rotatePartnerKey: {
    input: {
      params: {
        partnerId: string;
      };
      body?:
        | {
            overlapSeconds?: number | undefined;
          }
        | undefined;
    };
    answer: {
      apiKey: string;
      previousKeysExpireAt: string;
    };
  };
  /** List what a print partner last reported of its stock */
  listPartnerStock: {
    input: {
      params: {
        partnerId: string;
      };
      query?:
        | {
            afterSku?: string | undefined;
            limit?: number | undefined;
          }
        | undefined;
    };
    answer: {
      items: {
        partnerSku: string;
        status: 'in-stock' | 'out-of-stock';
        amount: number | null;
        replenishmentDate: string | null;
        reportedAt: string;
      }[];
    };
  };
  /** Read how an order was routed */
  getOrderRouting: {
    input: {
      params: {
        orderId: string;
      };
    };
    answer: {
      decisions: {
        step: string;
        createdAt: string;
        decision:
          | {
              ok: true;
              assignments: {
                partnerId: string;
                partnerUid: string;
                itemId: string;
                quantity: number;
                kind: 'print' | 'apparel' | 'mounted';
                dispatchDate: string;
                backordered: boolean;
                productionCost: {
                  minor: number;
                  currency: string;
                };
              }[];
              /** What a parcel from each chosen partner was reckoned at. */
              parcels: Record<string, number>;
              explanation: {
                itemId: string;
                alternatives: (
                  | {
                      partnerId: string;
                      partnerUid: string;
                      verdict: 'chosen';
                      /** What the partner asks, and what days and risks are worth, on one scale. */
                      cost: {
                        /** Euro cents. */
                        production: number;
                        /** Euro cents. */
                        waiting: number;
                        /** Euro cents. */
                        transit: number;
                        /** Euro cents. */
                        stock: number;
                        /** Euro cents. */
                        total: number;
                      };
                      dispatchDate: string;
                      backordered: boolean;
                    }
                  | {
                      partnerId: string;
                      partnerUid: string;
                      verdict: 'dearer';
                      /** What the partner asks, and what days and risks are worth, on one scale. */
                      cost: {
                        /** Euro cents. */
                        production: number;
                        /** Euro cents. */
                        waiting: number;
                        /** Euro cents. */
                        transit: number;
                        /** Euro cents. */
                        stock: number;
                        /** Euro cents. */
                        total: number;
                      };
                      dispatchDate: string;
                      backordered: boolean;
                    }
                  | {
                      partnerId: string;
                      partnerUid: string;
                      verdict: 'dearer_overall';
                      /** What the partner asks, and what days and risks are worth, on one scale. */
                      cost: {
                        /** Euro cents. */
                        production: number;
                        /** Euro cents. */
                        waiting: number;
                        /** Euro cents. */
                        transit: number;
                        /** Euro cents. */
                        stock: number;
                        /** Euro cents. */
                        total: number;
                      };
                      dispatchDate: string;
                      backordered: boolean;
                    }
                  | {
                      partnerId: string;
                      partnerUid: string;
                      verdict: 'rejected';
                      reason:
                        | 'excluded'
                        | 'kind_not_made'
                        | 'model_not_made'
                        | 'destination_not_served'
                        | 'disabled'
                        | 'not_subscribed'
                        | 'out_of_stock';
                      detail: string;
                    }
                )[];
              }[];
            }
          | {
              ok: false;
              unroutable: {
                itemId: string;
                /** Whether a partner may take it later. */
                passing: boolean;
                reason: string;
              }[];
              explanation: {
                itemId: string;
                alternatives: (
                  | {
                      partnerId: string;
                      partnerUid: string;
                      verdict: 'chosen';
                      /** What the partner asks, and what days and risks are worth, on one scale. */
                      cost: {
                        /** Euro cents. */
                        production: number;
                        /** Euro cents. */
                        waiting: number;
                        /** Euro cents. */
                        transit: number;
                        /** Euro cents. */
                        stock: number;
                        /** Euro cents. */
                        total: number;
                      };
                      dispatchDate: string;
                      backordered: boolean;
                    }
                  | {
                      partnerId: string;
                      partnerUid: string;
                      verdict: 'dearer';
                      /** What the partner asks, and what days and risks are worth, on one scale. */
                      cost: {
                        /** Euro cents. */
                        production: number;
                        /** Euro cents. */
                        waiting: number;
                        /** Euro cents. */
                        transit: number;
                        /** Euro cents. */
                        stock: number;
                        /** Euro cents. */
                        total: number;
                      };
                      dispatchDate: string;
                      backordered: boolean;
                    }
                  | {
                      partnerId: string;
                      partnerUid: string;
                      verdict: 'dearer_overall';
                      /** What the partner asks, and what days and risks are worth, on one scale. */
                      cost: {
                        /** Euro cents. */
                        production: number;
                        /** Euro cents. */
                        waiting: number;
                        /** Euro cents. */
                        transit: number;
                        /** Euro cents. */
                        stock: number;
                        /** Euro cents. */
                        total: number;
                      };
                      dispatchDate: string;
                      backordered: boolean;
                    }
                  | {
                      partnerId: string;
                      partnerUid: string;
                      verdict: 'rejected';
                      reason:
                        | 'excluded'
                        | 'kind_not_made'
                        | 'model_not_made'
                        | 'destination_not_served'
                        | 'disabled'
                        | 'not_subscribed'
                        | 'out_of_stock';
                      detail: string;
                    }
                )[];
              }[];
            };
      }[];
    };
  };
  /** Look into an order */
  getOperatorOrder: {
    input: {
      params: {
        orderId: string;
      };
    };
    answer: OperatorOrder;
  };
  /** List orders that an operator should look at, newest first */
  listOrdersInNeed: {
    input: {
      query?:
        | {
            reason?:
              | 'not_received'
              | 'not_printed'
              | 'not_dispatched'
              | 'partner_error'
              | 'partner_refused'
              | 'partner_unreachable'
              | 'partner_cancelled'
              | 'short_shipped'
              | 'voided_label'
              | 'cancel_refused'
              | 'no_partner'
              | 'dispatch_failed'
              | 'out_of_step'
              | undefined;
            limit?: number | undefined;
            cursor?: string | undefined;
          }
        | undefined;
    };
    answer: AttentionPage;
  };
  /** Repair an order’s run */
  repairOrder: {
    input: {
      params: {
        orderId: string;
      };
      body: Repair;
    };
    answer: RepairedOrder;
  };
  /** List messages that were given up, the latest first */
  listDeadMessages: {
    input: {
      query?:
        | {
            limit?: number | undefined;
            cursor?: string | undefined;
          }
        | undefined;
    };
    answer: DeadMessagePage;
  };
  /** Deliver given-up messages again */
  replayDeadMessages: {
    input: {
      body?:
        | {
            ids?: string[] | null | undefined;
            kind?: 'start_workflow' | 'signal_workflow' | 'notification' | null | undefined;
          }
        | undefined;
    };
    answer: {
      /** Messages put back into delivery. */
      replayed: number;
    };
  };
  /** Let this browser decode what the Temporal UI shows */
  signInToCodec: {
    input: Record<never, never>;
    answer: {
      message: string;
      encrypted: boolean;
    };
  };
  /** Decrypt payloads */
  decodePayloads: {
    input: {
      body: CodecPayloads;
    };
    answer: CodecPayloads;
  };
  /** Encrypt payloads */
  encodePayloads: {
    input: {
      body: CodecPayloads;
    };
    answer: CodecPayloads;
  };
  /** List procurement orders */
  listProcurementOrders: {
    input: {
      body?:
        | {
            filterBy?:
              | {
                  /** ISO 8601; a day without a time begins at 00:00 UTC. */
                  dateFrom?: string | undefined;
                  /** ISO 8601, included; a day without a time is included whole. Now, when only dateFrom is given. */
                  dateTo?: string | undefined;
                  status?:
                    | ('supplier' | 'confirmed' | 'in-transit' | 'delivered' | 'verified' | 'invoiced')[]
                    | undefined;
                }
              | undefined;
            pagination?:
              | {
                  /** From 1. */
                  pageNumber?: number | undefined;
                  perPage?: number | undefined;
                }
              | undefined;
          }
        | undefined;
    };
    answer: {
      orders: {
        orderId: number;
        partnerPoNumber: string | null;
        supplierUid: string;
        status: 'supplier' | 'confirmed' | 'in-transit' | 'delivered' | 'verified' | 'invoiced';
        /** ISO 4217; the partner’s, and that of every cost. */
        currency: string;
        shippingCost: number | null;
        /** Items and shipping, before VAT. */
        totalCost: number;
        createdAt: string;
        items: {
          productUid: string;
          partnerSku: string | null;
          productName: string | null;
          quantity: number;
          unitCost: number;
          vatPercentage: number | null;
          quantityReceived: number;
        }[];
        invoices: {
          url: string;
          originalFilename: string;
          referenceId: string | null;
          dueDate: string | null;
        }[];
      }[];
      pagination: {
        pageNumber: number;
        perPage: number;
        totalResult: number;
      };
      /** ISO 4217 */
      currency: string;
    };
  };
  /** List inventory consumption per print job */
  listInventoryConsumption: {
    input: {
      body?:
        | {
            filterBy?:
              | {
                  /** ISO 8601; a day without a time begins at 00:00 UTC. */
                  dateFrom?: string | undefined;
                  /** ISO 8601, included; a day without a time is included whole. Now, when only dateFrom is given. */
                  dateTo?: string | undefined;
                  partnerSku?: string[] | undefined;
                  printJobId?: number[] | undefined;
                }
              | undefined;
            pagination?:
              | {
                  /** From 1. */
                  pageNumber?: number | undefined;
                  perPage?: number | undefined;
                }
              | undefined;
          }
        | undefined;
    };
    answer: {
      items: {
        printJobId: number;
        partnerSku: string;
        productName: string | null;
        /** Reserved for the print job. */
        quantity: number;
        createdAt: string;
      }[];
      pagination: {
        pageNumber: number;
        perPage: number;
        totalResult: number;
      };
    };
  };
  /** List inventory */
  listInventory: {
    input: {
      body?:
        | {
            filterBy?:
              | {
                  /** Empty: all. */
                  partnerSku?: string[] | undefined;
                }
              | undefined;
            /** Without it everything comes in one answer. */
            pagination?:
              | {
                  /** From 1. */
                  pageNumber?: number | undefined;
                  perPage?: number | undefined;
                }
              | undefined;
          }
        | undefined;
    };
    answer: {
      inventoryItem: {
        partnerSku: string;
        /** The gravest of: back_order, demand waits for stock; out_of_stock, none is free; low_stock, no more than minStock is free. Free is what is not reserved for print jobs. Null: all is well. */
        alertUid: 'back_order' | 'out_of_stock' | 'low_stock' | null;
        quantity: number;
        minStock: number;
        maxStock: number;
        quantityOrdered: number;
      }[];
      pagination: {
        pageNumber: number;
        perPage: number;
        totalPages: number;
        totalItems: number;
      } | null;
    };
  };
  /** Add to or consume stock */
  adjustStock: {
    input: {
      body: {
        adjustments: {
          partnerSku: string;
          adjustmentType: 'add' | 'consume';
          quantity: number;
          /** Rejected when repeated within 5 minutes. */
          referenceId?: string | undefined;
        }[];
      };
    };
    answer: {
      updates: {
        partnerSku: string;
        success: boolean;
        message: string;
        previousQuantity: number;
        newQuantity: number;
        backorderQuantity: number;
      }[];
    };
  };
  /** List procurement orders of all partners */
  searchProcurementOrders: {
    input: {
      query?:
        | {
            pageNumber?: number | undefined;
            perPage?: number | undefined;
            partnerId?: string | undefined;
            status?:
              | 'supplier'
              | 'confirmed'
              | 'in-transit'
              | 'delivered'
              | 'verified'
              | 'invoiced'
              | undefined;
            attention?: 'true' | undefined;
          }
        | undefined;
    };
    answer: {
      orders: {
        orderId: number;
        partnerPoNumber: string | null;
        supplierUid: string;
        status: 'supplier' | 'confirmed' | 'in-transit' | 'delivered' | 'verified' | 'invoiced';
        /** ISO 4217; the partner’s, and that of every cost. */
        currency: string;
        shippingCost: number | null;
        /** Items and shipping, before VAT. */
        totalCost: number;
        createdAt: string;
        items: {
          productUid: string;
          partnerSku: string | null;
          productName: string | null;
          quantity: number;
          unitCost: number;
          vatPercentage: number | null;
          quantityReceived: number;
        }[];
        invoices: {
          url: string;
          originalFilename: string;
          referenceId: string | null;
          dueDate: string | null;
        }[];
        partnerUid: string;
        partnerName: string;
        /** ISO 4217; what the supplier is paid in. */
        supplierCurrency: string;
        attention: string | null;
        updatedAt: string;
        workflowId: string;
      }[];
      pagination: {
        pageNumber: number;
        perPage: number;
        totalResult: number;
      };
    };
  };
  /** Read a procurement order and what happened to it */
  getProcurementOrder: {
    input: {
      params: {
        orderId: number;
      };
    };
    answer: {
      orderId: number;
      partnerPoNumber: string | null;
      supplierUid: string;
      status: 'supplier' | 'confirmed' | 'in-transit' | 'delivered' | 'verified' | 'invoiced';
      /** ISO 4217; the partner’s, and that of every cost. */
      currency: string;
      shippingCost: number | null;
      /** Items and shipping, before VAT. */
      totalCost: number;
      createdAt: string;
      items: {
        productUid: string;
        partnerSku: string | null;
        productName: string | null;
        quantity: number;
        unitCost: number;
        vatPercentage: number | null;
        quantityReceived: number;
      }[];
      invoices: {
        url: string;
        originalFilename: string;
        referenceId: string | null;
        dueDate: string | null;
      }[];
      partnerUid: string;
      partnerName: string;
      /** ISO 4217; what the supplier is paid in. */
      supplierCurrency: string;
      attention: string | null;
      updatedAt: string;
      workflowId: string;
      events: {
        type: 'raised' | 'move' | 'receipt' | 'invoice';
        actor: string;
        data: Record<string, unknown>;
        at: string;
      }[];
    };
  };
  /** Move a procurement order to its next status */
  moveProcurementOrder: {
    input: {
      params: {
        orderId: number;
      };
      body: {
        status: 'supplier' | 'confirmed' | 'in-transit' | 'delivered' | 'verified' | 'invoiced';
        reason?: string | undefined;
        partnerPoNumber?: string | undefined;
        /** In the supplier’s currency. */
        shippingCost?: number | undefined;
      };
    };
    answer: {
      orderId: number;
      partnerPoNumber: string | null;
      supplierUid: string;
      status: 'supplier' | 'confirmed' | 'in-transit' | 'delivered' | 'verified' | 'invoiced';
      /** ISO 4217; the partner’s, and that of every cost. */
      currency: string;
      shippingCost: number | null;
      /** Items and shipping, before VAT. */
      totalCost: number;
      createdAt: string;
      items: {
        productUid: string;
        partnerSku: string | null;
        productName: string | null;
        quantity: number;
        unitCost: number;
        vatPercentage: number | null;
        quantityReceived: number;
      }[];
      invoices: {
        url: string;
        originalFilename: string;
        referenceId: string | null;
        dueDate: string | null;
      }[];
      partnerUid: string;
      partnerName: string;
      /** ISO 4217; what the supplier is paid in. */
      supplierCurrency: string;
      attention: string | null;
      updatedAt: string;
      workflowId: string;
    };
  };
  /** Count received goods in, in parts if need be */
  receiveProcurementOrder: {
    input: {
      params: {
        orderId: number;
      };
      body: {
        /** Names the delivery; one id is counted once. */
        receiptId: string;
        items: {
          partnerSku: string;
          quantity: number;
        }[];
      };
    };
    answer: {
      orderId: number;
      partnerPoNumber: string | null;
      supplierUid: string;
      status: 'supplier' | 'confirmed' | 'in-transit' | 'delivered' | 'verified' | 'invoiced';
      /** ISO 4217; the partner’s, and that of every cost. */
      currency: string;
      shippingCost: number | null;
      /** Items and shipping, before VAT. */
      totalCost: number;
      createdAt: string;
      items: {
        productUid: string;
        partnerSku: string | null;
        productName: string | null;
        quantity: number;
        unitCost: number;
        vatPercentage: number | null;
        quantityReceived: number;
      }[];
      invoices: {
        url: string;
        originalFilename: string;
        referenceId: string | null;
        dueDate: string | null;
      }[];
      partnerUid: string;
      partnerName: string;
      /** ISO 4217; what the supplier is paid in. */
      supplierCurrency: string;
      attention: string | null;
      updatedAt: string;
      workflowId: string;
    };
  };
  /** Attach a supplier’s invoice */
  attachProcurementInvoice: {
    input: {
      params: {
        orderId: number;
      };
      body: {
        url: string;
        originalFilename: string;
        referenceId?: string | null | undefined;
        dueDate?: string | null | undefined;
      };
    };
    answer: {
      orderId: number;
      partnerPoNumber: string | null;
      supplierUid: string;
      status: 'supplier' | 'confirmed' | 'in-transit' | 'delivered' | 'verified' | 'invoiced';
      /** ISO 4217; the partner’s, and that of every cost. */
      currency: string;
      shippingCost: number | null;
      /** Items and shipping, before VAT. */
      totalCost: number;
      createdAt: string;
      items: {
        productUid: string;
        partnerSku: string | null;
        productName: string | null;
        quantity: number;
        unitCost: number;
        vatPercentage: number | null;
        quantityReceived: number;
      }[];
      invoices: {
        url: string;
        originalFilename: string;
        referenceId: string | null;
        dueDate: string | null;
      }[];
      partnerUid: string;
      partnerName: string;
      /** ISO 4217; what the supplier is paid in. */
      supplierCurrency: string;
      attention: string | null;
      updatedAt: string;
      workflowId: string;
    };
  };
  /** List a partner’s stock items */
  listStockItems: {
    input: {
      params: {
        partnerId: string;
      };
      query?:
        | {
            pageNumber?: number | undefined;
            perPage?: number | undefined;
            partnerSku?: string | undefined;
          }
        | undefined;
    };
    answer: {
      items: {
        partnerSku: string;
        /** The gravest of: back_order, demand waits for stock; out_of_stock, none is free; low_stock, no more than minStock is free. Free is what is not reserved for print jobs. Null: all is well. */
        alertUid: 'back_order' | 'out_of_stock' | 'low_stock' | null;
        quantity: number;
        minStock: number;
        maxStock: number;
        quantityOrdered: number;
        productUid: string;
        productName: string | null;
        /** Of the quantity, promised to print jobs. */
        reserved: number;
        backorder: number;
        allowBackorder: boolean;
        supplierUid: string | null;
      }[];
      pagination: {
        pageNumber: number;
        perPage: number;
        totalPages: number;
        totalItems: number;
      };
    };
  };
  /** Set a partner’s stock items up */
  setUpStockItems: {
    input: {
      params: {
        partnerId: string;
      };
      body: {
        items: {
          partnerSku: string;
          /** The sku itself, when left out. */
          productUid?: string | undefined;
          productName?: string | null | undefined;
          minStock?: number | undefined;
          maxStock?: number | undefined;
          /** Whether print jobs may wait for stock; otherwise they go to another partner. */
          allowBackorder?: boolean | undefined;
          /** Without one the item is never reordered. */
          supplier?:
            | {
                uid: string;
                unitCost: number;
                currency: string;
                vatPercentage?: number | null | undefined;
              }
            | undefined;
          /** Of a new item; one that exists keeps its level. */
          openingQuantity?: number | undefined;
        }[];
      };
    };
    answer: {
      added: number;
      changed: number;
    };
  };
  /** Read the ledger of a stock item */
  listStockMovements: {
    input: {
      params: {
        partnerId: string;
        partnerSku: string;
      };
      query?:
        | {
            before?: string | undefined;
            limit?: number | undefined;
          }
        | undefined;
    };
    answer: {
      movements: {
        id: string;
        type: 'add' | 'consume' | 'reserve' | 'release' | 'consume_reserved' | 'receive';
        quantity: number;
        quantityDelta: number;
        reservedDelta: number;
        backorderDelta: number;
        reference: string | null;
        at: string;
      }[];
    };
  };
  /** Read the exchange rates that hold on a day */
  getExchangeRates: {
    input: {
      params: {
        date: string;
      };
    };
    answer: {
      /** Units of a currency that one euro buys, as decimal text. */
      perEuro: Record<string, string>;
      date: string;
    };
  };
  /** Load exchange rates of a day */
  loadExchangeRates: {
    input: {
      params: {
        date: string;
      };
      body: {
        /** Units of a currency that one euro buys, as decimal text. */
        perEuro: Record<string, string>;
      };
    };
    answer: {
      /** Units of a currency that one euro buys, as decimal text. */
      perEuro: Record<string, string>;
      date: string;
    };
  };
}

export const OPERATIONS = {
  createCustomerProduct: { method: 'post', path: '/product/v1/customer-product', idempotent: true },
  updateCustomerProduct: { method: 'patch', path: '/product/v1/customer-products/{id}', idempotent: false },
  listCustomerProducts: { method: 'get', path: '/product/v1/customer-products', idempotent: false },
  addVariantValues: {
    method: 'post',
    path: '/product/v1/customer-products/{customerProductId}/variant-values',
    idempotent: true,
  },
  getVariantValues: {
    method: 'get',
    path: '/product/v1/customer-products/{customerProductId}/variant-values',
    idempotent: false,
  },
  putAttribute: { method: 'put', path: '/product/v1/attributes/{attributeId}', idempotent: false },
  listAttributeValues: {
    method: 'get',
    path: '/product/v1/attributes/{attributeId}/values',
    idempotent: false,
  },
  addAttributeValues: {
    method: 'post',
    path: '/product/v1/attributes/{attributeId}/values',
    idempotent: true,
  },
  replaceAttributeValues: {
    method: 'put',
    path: '/product/v1/attributes/{attributeId}/values',
    idempotent: false,
  },
  replaceAttributeValue: {
    method: 'put',
    path: '/product/v1/attributes/{attributeId}/values/{valueId}',
    idempotent: false,
  },
  listProductModels: { method: 'get', path: '/product/v1/product-models', idempotent: false },
  createProductModel: { method: 'post', path: '/product/v1/product-models', idempotent: true },
  updateProductModel: { method: 'patch', path: '/product/v1/product-models/{id}', idempotent: false },
  submitOrder: { method: 'post', path: '/v1/orders', idempotent: true },
  getOrder: { method: 'get', path: '/v1/orders/{orderId}', idempotent: false },
  patchDraft: { method: 'patch', path: '/v1/orders/{orderId}', idempotent: false },
  deleteDraft: { method: 'delete', path: '/v1/orders/{orderId}', idempotent: false },
  updateShipment: { method: 'put', path: '/v1/orders/{orderId}/shipment', idempotent: false },
  cancelOrder: { method: 'post', path: '/v1/orders/{orderId}/cancel', idempotent: false },
  searchOrders: { method: 'post', path: '/v1/orders/search', idempotent: false },
  quoteOrder: { method: 'post', path: '/v1/orders/quote', idempotent: false },
  subscribePartner: { method: 'post', path: '/v2/subscribe', idempotent: false },
  postOrderStatus: { method: 'post', path: '/v2/order/status', idempotent: false },
  dispatchOrder: { method: 'post', path: '/v2/order/dispatch', idempotent: false },
  createShippingOrder: { method: 'post', path: '/v1/shipping-orders', idempotent: true },
  quoteShippingMethods: { method: 'post', path: '/v1/shipping-methods/quote', idempotent: false },
  getTracking: { method: 'get', path: '/v1/tracking/{trackingNumber}', idempotent: false },
  receiveCarrierEvents: { method: 'post', path: '/v1/carriers/{carrierUid}/events', idempotent: false },
  reportStockStatus: { method: 'post', path: '/v3/stock/status', idempotent: false },
  createWebhook: { method: 'post', path: '/v1/webhooks', idempotent: true },
  listWebhooks: { method: 'get', path: '/v1/webhooks', idempotent: false },
  getWebhook: { method: 'get', path: '/v1/webhooks/{webhookId}', idempotent: false },
  changeWebhook: { method: 'patch', path: '/v1/webhooks/{webhookId}', idempotent: false },
  deleteWebhook: { method: 'delete', path: '/v1/webhooks/{webhookId}', idempotent: false },
  rotateWebhookSecret: { method: 'post', path: '/v1/webhooks/{webhookId}/secret', idempotent: false },
  testWebhook: { method: 'post', path: '/v1/webhooks/{webhookId}/test', idempotent: false },
  listWebhookDeliveries: { method: 'get', path: '/v1/webhooks/{webhookId}/deliveries', idempotent: false },
  getWebhookDelivery: {
    method: 'get',
    path: '/v1/webhooks/{webhookId}/deliveries/{deliveryId}',
    idempotent: false,
  },
  redeliverWebhookDelivery: {
    method: 'post',
    path: '/v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver',
    idempotent: false,
  },
  redeliverDeadWebhookDeliveries: {
    method: 'post',
    path: '/v1/webhooks/{webhookId}/redeliver-dead',
    idempotent: false,
  },
  createConnector: { method: 'post', path: '/v1/connectors', idempotent: true },
  listConnectors: { method: 'get', path: '/v1/connectors', idempotent: false },
  getConnector: { method: 'get', path: '/v1/connectors/{connectorId}', idempotent: false },
  changeConnector: { method: 'patch', path: '/v1/connectors/{connectorId}', idempotent: false },
  rotateConnectorKey: { method: 'post', path: '/v1/connectors/{connectorId}/keys', idempotent: true },
  revokeConnectorKey: {
    method: 'delete',
    path: '/v1/connectors/{connectorId}/keys/{keyId}',
    idempotent: false,
  },
  listPartners: { method: 'get', path: '/v1/partners', idempotent: false },
  createPartner: { method: 'post', path: '/v1/partners', idempotent: false },
  getPartner: { method: 'get', path: '/v1/partners/{partnerId}', idempotent: false },
  changePartner: { method: 'patch', path: '/v1/partners/{partnerId}', idempotent: false },
  rotatePartnerKey: { method: 'post', path: '/v1/partners/{partnerId}/keys', idempotent: false },
  listPartnerStock: { method: 'get', path: '/v1/partners/{partnerId}/stock', idempotent: false },
  getOrderRouting: { method: 'get', path: '/v1/operator/orders/{orderId}/routing', idempotent: false },
  getOperatorOrder: { method: 'get', path: '/v1/operator/orders/{orderId}', idempotent: false },
  listOrdersInNeed: { method: 'get', path: '/v1/operator/attention', idempotent: false },
  repairOrder: { method: 'post', path: '/v1/operator/orders/{orderId}/repairs', idempotent: true },
  listDeadMessages: { method: 'get', path: '/v1/operator/outbox/dead', idempotent: false },
  replayDeadMessages: { method: 'post', path: '/v1/operator/outbox/dead/replay', idempotent: false },
  signInToCodec: { method: 'get', path: '/v1/operator/codec', idempotent: false },
  decodePayloads: { method: 'post', path: '/v1/operator/codec/decode', idempotent: false },
  encodePayloads: { method: 'post', path: '/v1/operator/codec/encode', idempotent: false },
  listProcurementOrders: { method: 'post', path: '/procurement/v1/order/list', idempotent: false },
  listInventoryConsumption: {
    method: 'post',
    path: '/procurement/v1/inventory/consumption/list',
    idempotent: false,
  },
  listInventory: { method: 'post', path: '/procurement/v1/inventory/list', idempotent: false },
  adjustStock: { method: 'post', path: '/procurement/v1/inventory/adjust-stock', idempotent: true },
  searchProcurementOrders: { method: 'get', path: '/v1/operator/procurement-orders', idempotent: false },
  getProcurementOrder: {
    method: 'get',
    path: '/v1/operator/procurement-orders/{orderId}',
    idempotent: false,
  },
  moveProcurementOrder: {
    method: 'post',
    path: '/v1/operator/procurement-orders/{orderId}/transitions',
    idempotent: true,
  },
  receiveProcurementOrder: {
    method: 'post',
    path: '/v1/operator/procurement-orders/{orderId}/receipts',
    idempotent: true,
  },
  attachProcurementInvoice: {
    method: 'post',
    path: '/v1/operator/procurement-orders/{orderId}/invoices',
    idempotent: true,
  },
  listStockItems: { method: 'get', path: '/v1/partners/{partnerId}/stock-items', idempotent: false },
  setUpStockItems: { method: 'post', path: '/v1/partners/{partnerId}/stock-items', idempotent: false },
  listStockMovements: {
    method: 'get',
    path: '/v1/partners/{partnerId}/stock-items/{partnerSku}/movements',
    idempotent: false,
  },
  getExchangeRates: { method: 'get', path: '/v1/exchange-rates/{date}', idempotent: false },
  loadExchangeRates: { method: 'put', path: '/v1/exchange-rates/{date}', idempotent: false },
} as const;
