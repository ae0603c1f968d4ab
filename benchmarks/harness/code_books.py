"""Code books: what the codes in the columns of Heart Disease and German Credit stand for, from their UCI pages."""

from __future__ import annotations

from collections.abc import Mapping

CodeBook = Mapping[str, Mapping[str, str]]  # column -> code -> words

HEART: CodeBook = {
    "sex": {"1": "male", "0": "female"},
    "cp": {"1": "typical angina", "2": "atypical angina", "3": "non-anginal pain", "4": "asymptomatic"},
    "fbs": {"1": "> 120 mg/dl", "0": "<= 120 mg/dl"},
    "restecg": {"0": "normal", "1": "ST-T abnormality", "2": "left ventricular hypertrophy"},
    "exang": {"1": "yes", "0": "no"},
    "slope": {"1": "up", "2": "flat", "3": "down"},
    "thal": {"3": "normal", "6": "fixed defect", "7": "reversible defect"},
}

GERMAN_CREDIT: CodeBook = {
    "checking_status": {
        "A11": "< 0 DM",
        "A12": "0 to < 200 DM",
        "A13": ">= 200 DM or salary for a year",
        "A14": "no account",
    },
    "credit_history": {
        "A30": "none taken or all paid duly",
        "A31": "all at this bank paid duly",
        "A32": "existing paid duly till now",
        "A33": "delay in the past",
        "A34": "critical account",
    },
    "purpose": {
        "A40": "new car",
        "A41": "used car",
        "A42": "furniture/equipment",
        "A43": "radio/television",
        "A44": "domestic appliances",
        "A45": "repairs",
        "A46": "education",
        "A48": "retraining",
        "A49": "business",
        "A410": "others",
    },
    "savings_status": {
        "A61": "< 100 DM",
        "A62": "100 to < 500 DM",
        "A63": "500 to < 1000 DM",
        "A64": ">= 1000 DM",
        "A65": "unknown or none",
    },
    "employment": {
        "A71": "unemployed",
        "A72": "< 1 year",
        "A73": "1 to < 4 years",
        "A74": "4 to < 7 years",
        "A75": ">= 7 years",
    },
    "personal_status": {
        "A91": "male divorced/separated",
        "A92": "female divorced/separated/married",
        "A93": "male single",
        "A94": "male married/widowed",
        "A95": "female single",
    },
    "other_parties": {"A101": "none", "A102": "co-applicant", "A103": "guarantor"},
    "property_magnitude": {
        "A121": "real estate",
        "A122": "building society savings/life insurance",
        "A123": "car or other",
        "A124": "unknown or none",
    },
    "other_payment_plans": {"A141": "bank", "A142": "stores", "A143": "none"},
    "housing": {"A151": "rent", "A152": "own", "A153": "for free"},
    "job": {
        "A171": "unemployed or unskilled non-resident",
        "A172": "unskilled resident",
        "A173": "skilled",
        "A174": "management, self-employed, highly qualified",
    },
    "own_telephone": {"A191": "none", "A192": "yes"},
    "foreign_worker": {"A201": "yes", "A202": "no"},
}
