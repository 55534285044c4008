// Generated from the OpenAPI document by client/generate.ts. After a change of routes: UPDATE_CLIENT=1 npx jest test/client/operations

export type AdjustStockError = {
  success: false;
  data: {
    partnerSku: string;
    success: false;
    message: string;
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
  keys: ConnectorKey[];
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
  keyId: string;
  /** Shown this once. */
  apiKey: string;
  /** Shown this once. */
  apiSecret: string;
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

export type NewConnector = {
  name: string;
};

export type PlainError = {
  error: string;
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

export type ShippingError = {
  orderReferenceId: string;
  code: ErrorCode;
  message: string;
  /** The carrier’s own code and message, in its structure. */
  detail?: Record<string, unknown> | undefined;
  errors?: FieldError[] | undefined;
};

export type TrackingError = {
  trackingNumber: string;
  code: ErrorCode;
  message: string;
  details?: Record<string, unknown> | null | undefined;
};

export interface Operations {
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
}

export const OPERATIONS = {
  subscribePartner: { method: 'post', path: '/v2/subscribe', idempotent: false },
  reportStockStatus: { method: 'post', path: '/v3/stock/status', idempotent: false },
  createConnector: { method: 'post', path: '/v1/connectors', idempotent: true },
  listConnectors: { method: 'get', path: '/v1/connectors', idempotent: false },
  getConnector: { method: 'get', path: '/v1/connectors/{connectorId}', idempotent: false },
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
} as const;
